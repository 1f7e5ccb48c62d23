import { readClientLine } from '@parrain/domain/forms/client-import';
import type { ImportColumns, ImportLine } from '@parrain/domain/forms/import-file';
import { emailTaken } from '@parrain/domain/messages';

import type { Transaction } from '#platform/database';

import { readEach, without } from './checked-lines.ts';
import type { CheckedLines } from './checked-lines.ts';

/** A line that becomes a client, as `private.import_clients` reads it. */
type ReadyClient = {
  readonly line: number;
  readonly name: string;
  readonly email: string;
  readonly phone: string | null;
  readonly company: string | null;
  readonly notes: string | null;
  readonly commercial: string | null;
};

type Obstacle = { readonly line: number; readonly obstacle: string; readonly known_as: string | null };

/** Each line by the form's own rules (V-11), then against the lines before it, then against what is there. */
export async function checkClients(
  tx: Transaction,
  lines: readonly ImportLine[],
  columns: ImportColumns,
): Promise<CheckedLines<ReadyClient>> {
  const lineOfEmail = new Map<string, number>();
  const read = await readEach<ReadyClient>(lines, (line, cells) => {
    const one = readClientLine(cells, columns);
    if (!one.ok) return one.problems;
    const before = lineOfEmail.get(one.client.email);
    if (before !== undefined) return [`Même e-mail que la ligne ${before}`];
    lineOfEmail.set(one.client.email, line);
    return { line, ...one.client, commercial: one.commercial };
  });
  const { rows } = await tx.query<Obstacle>({
    text: 'select line, obstacle, known_as from private.client_line_obstacles($1)',
    values: [JSON.stringify(read.ready.map(({ line, email, commercial }) => ({ line, email, commercial })))],
  });
  const obstacles = Map.groupBy(rows, ({ line }) => line);
  return without(read, new Map([...obstacles].map(([line, found]) => [line, found.map(sentenceOf)])));
}

function sentenceOf({ obstacle, known_as: knownAs }: Obstacle): string {
  if (obstacle !== 'email_taken') return 'Commercial : aucun commercial actif n’a ce nom ou cet e-mail';
  return knownAs === null ? emailTaken : `Un compte existe déjà avec cet e-mail : ${knownAs}`;
}
