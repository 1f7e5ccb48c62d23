import { connectAsOwner } from '@parrain/database/connect';
import type { Owner } from '@parrain/database/connect';
import { verifyAsOwner } from '@parrain/database/verify';
import type { ClientBase } from 'pg';

import { recordRun, verificationOutcome } from '../platform/maintenance.ts';
import type { RecordQuery } from '../platform/maintenance.ts';

/** Checks every invariant of money, states and audit over the whole database, and prints each. Gives the exit code. */
export async function printVerification(owner: Owner): Promise<number> {
  const client = await connectAsOwner(owner);
  try {
    const started = performance.now();
    const run = async () => {
      const found = await verifyAsOwner(client);
      return { findings: found, ...verificationOutcome(found, 'command') };
    };
    const { rows } = await client.query<{ is_replica: boolean }>('select pg_is_in_recovery() as is_replica');
    // A standby takes no record.
    const { findings } = await (rows[0]?.is_replica === true
      ? run()
      : recordRun(asService(client), 'verification', run));
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

function asService(client: ClientBase): RecordQuery {
  return async (text, values) => {
    await client.query('set role parrain_service');
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.query('reset role');
    }
  };
}
