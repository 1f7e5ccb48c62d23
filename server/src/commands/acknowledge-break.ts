import { CommandError, runCommand } from './context.ts';

// npm run acknowledge-break -- <entry> "<reason>": sets down in the trail that a break of its chain is known, and why it came about.
await runCommand(async ({ platform }) => {
  const [entry, ...words] = process.argv.slice(2);
  const reason = words.join(' ').trim();
  if (entry === undefined || !/^\d{1,18}$/u.test(entry) || reason.length < 10 || reason.length > 500) {
    throw new CommandError(
      'Usage : npm run acknowledge-break -- 1234 "ce qui s’est passé, de 10 à 500 caractères" (le numéro est celui que donne npm run verify)',
    );
  }
  const { rows } = await platform.db.asService('acknowledge a break of the trail', (tx) =>
    tx.query<{ cause: string | null }>('select private.acknowledge_break($1, $2) as cause', [entry, reason]),
  );
  if ((rows[0]?.cause ?? null) === null)
    throw new CommandError(`L’écriture ${entry} du journal ne rompt aucune chaîne.`);
  process.stdout.write(`Rupture reconnue : écriture ${entry}. Le journal en garde le motif.\n`);
  return 0;
});
