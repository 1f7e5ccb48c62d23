import type { ImportColumns, ImportLine } from '@parrain/domain/forms/import-file';
import { readReferralLine } from '@parrain/domain/forms/referral-import';
import type { ImportedReferral } from '@parrain/domain/forms/referral-import';
import type { Role } from '@parrain/domain/role';

import type { Transaction } from '#platform/database';
import type { Services } from '#platform/services';

import { knownMarks } from '../friend-link.ts';
import { readEach, without } from './checked-lines.ts';
import type { CheckedLines } from './checked-lines.ts';

/** A line that becomes a referral, as `private.import_referrals` reads it. */
type ReadyReferral = ImportedReferral & {
  readonly line: number;
  /** Recognises who asked not to be contacted (F-15). */
  readonly mark: string;
};

export type CheckedReferrals = CheckedLines<ReadyReferral> & {
  /** Refused because another client referred them first: the try is kept (CS-02). */
  readonly tooLate: readonly ReadyReferral[];
};

/**
 * Verdict of the database on a line: its client, its friend in the form that referrals are compared in, and the obstacle to importing it.
 */
type Verdict = {
  readonly line: number;
  readonly client_id: string;
  readonly mailbox: string | null;
  readonly phone: string | null;
  readonly obstacle: string | null;
  readonly known_as: string | null;
};

type Asked = {
  readonly lines: readonly ImportLine[];
  readonly columns: ImportColumns;
  /** The software whose references they are. */
  readonly source: string | null;
  readonly role: Role;
};

/** Each line by the rules of a single referral, against what is there, then against the lines before it. */
export async function checkReferrals(
  tx: Transaction,
  services: Pick<Services, 'secrets'>,
  { lines, columns, source, role }: Asked,
): Promise<CheckedReferrals> {
  const read = await readEach<ImportedReferral & { readonly line: number }>(lines, (line, cells) => {
    const one = readReferralLine(cells, columns);
    return one.ok ? { line, ...one.referral } : one.problems;
  });
  const marks = await knownMarks(tx, services, read.ready);
  const marked = {
    ...read,
    ready: read.ready.map((one, place) => ({ ...one, mark: marks[place]?.toString('hex') ?? '' })),
  };
  const { rows } = await tx.query<Verdict>(
    'select line, client_id, mailbox, phone, obstacle, known_as from private.referral_line_obstacles($1, $2)',
    [
      JSON.stringify(
        marked.ready.map(({ line, referrer, email, phone, mark, reference }) => {
          return { line, referrer, email, phone, mark, reference };
        }),
      ),
      source ?? '',
    ],
  );
  const verdicts = new Map(rows.map((verdict) => [verdict.line, verdict]));
  const repeated = repeatedLines({ firstCounts: await firstCounts(tx) });
  const problems = new Map<number, readonly string[]>();
  for (const { line, reference } of marked.ready) {
    const verdict = verdicts.get(line);
    if (verdict === undefined) throw new Error('A line of an import has no verdict');
    const problem = verdict.obstacle === null ? repeated(verdict, reference) : sentenceOf(verdict, role);
    if (problem !== null) problems.set(line, [problem]);
  }
  return {
    ...without(marked, problems),
    tooLate: marked.ready.filter(({ line }) => verdicts.get(line)?.obstacle === 'friend_referred_before'),
  };
}

async function firstCounts(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query('select from public.company_settings where first_referral_months is not null');
  return rows.length > 0;
}

/**
 * Finds a line that repeats the friend or the reference of an accepted line before it: of the same client by address, or by telephone where
 * there is no address; of any client by either, where the first referral of a person counts (CS-02).
 */
function repeatedLines({ firstCounts: isAnyClients }: { readonly firstCounts: boolean }) {
  const references = new Map<string, number>();
  const own = new Map<string, number>();
  const anyones = new Map<string, { readonly clientId: string; readonly line: number }>();
  return ({ line, client_id: clientId, mailbox, phone }: Verdict, reference: string | null): string | null => {
    const contacts = [mailbox, phone].filter((contact) => contact !== null);
    const [first] = contacts;
    const before = own.get(`${clientId} ${first ?? ''}`);
    const others = isAnyClients
      ? contacts.map((contact) => anyones.get(contact)).find((one) => one !== undefined && one.clientId !== clientId)
      : undefined;
    const repeated = before ?? others?.line;
    if (repeated !== undefined) return `Même filleul que la ligne ${repeated}`;
    const referenced = reference === null ? undefined : references.get(reference);
    if (referenced !== undefined) return `Même référence que la ligne ${referenced}`;
    for (const contact of contacts) {
      if (!own.has(`${clientId} ${contact}`)) own.set(`${clientId} ${contact}`, line);
      if (!anyones.has(contact)) anyones.set(contact, { clientId, line });
    }
    if (reference !== null) references.set(reference, line);
    return null;
  };
}

function sentenceOf({ obstacle, known_as: knownAs }: Verdict, role: Role): string {
  const named = (sentence: string): string => (knownAs === null ? sentence : `${sentence} : ${knownAs}`);
  switch (obstacle) {
    case 'referrer_not_found':
      return role === 'admin'
        ? 'Parrain : aucun client actif n’a cet e-mail ou cet identifiant'
        : 'Parrain : aucun de vos clients n’a cet e-mail ou cet identifiant';
    case 'commercial_missing':
      return 'Parrain : aucun commercial ne suit ce client';
    case 'contact_missing':
      return 'Téléphone : ce numéro n’a pas assez de chiffres';
    case 'friend_opted_out':
      return 'Cette personne a demandé à ne pas être contactée';
    case 'self_referral':
      return 'Le parrain et le filleul sont la même personne';
    case 'friend_is_staff':
      return named('Cette adresse est celle d’un membre de l’entreprise');
    case 'friend_is_client':
      return named('Cette personne est déjà cliente');
    case 'friend_already_invited':
      return named('Déjà parrainé par le même client');
    case 'friend_referred_before':
      return named('Déjà parrainé par un autre client, le premier parrainage compte');
    case 'reference_known':
      return named('Cette référence est déjà celle d’un parrainage');
    default:
      throw new Error(`An import says nothing of « ${obstacle ?? ''} »`);
  }
}
