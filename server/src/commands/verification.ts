import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { verifyAsOwner } from '@parrain/database/verify';

/** Checks every invariant of money, states and audit over the whole database, and prints each. Gives the exit code. */
export async function printVerification(owner: Owner): Promise<number> {
  const client = await connectAsOwner(owner);
  try {
    const started = performance.now();
    const findings = await verifyAsOwner(client);
    let broken = 0;
    for (const { invariant, counted, violations } of findings) {
      const isSound = violations.length === 0;
      if (!isSound) broken += 1;
      process.stdout.write(
        `${isSound ? '✓' : '✗'} ${invariant.id.padEnd(6)} ${invariant.sentence} (${counted.toLocaleString('fr-FR')})\n`,
      );
      for (const violation of violations) process.stdout.write(`    ${JSON.stringify(violation)}\n`);
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      `${findings.length} invariants vérifiés en ${seconds} s, ${broken === 0 ? 'tous respectés' : `${broken} non respectés`}.\n`,
    );
    return broken === 0 ? 0 : 1;
  } finally {
    await client.end();
  }
}
