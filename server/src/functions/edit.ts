import { Failure } from '@parrain/domain/failure';
import type { FailureIssue } from '@parrain/domain/failure';
import { changedMeanwhile } from '@parrain/domain/messages';

import type { Transaction } from '#platform/database';

import type { FunctionResponse, UserCall } from './call.ts';

/** A record that a form edits: its name, told apart from others, and what it holds now in the fields of the payload. */
export type Edited = {
  readonly name: (call: UserCall) => string;
  readonly read: (tx: Transaction, call: UserCall) => Promise<Readonly<Record<string, unknown>> | undefined>;
};

/**
 * The one way in which forms edit records (DF-34). The payload holds the fields that were changed and, in `seen`, what they held when
 * the form opened; the others stay as they are now. What somebody else changed meanwhile is refused with its value of now, and nothing
 * is written. Without `seen` a payload is whole, and stands for all that it leaves out.
 */
export function keepingOthers(
  { name, read }: Edited,
  run: (call: UserCall) => Promise<FunctionResponse>,
): (call: UserCall) => Promise<FunctionResponse> {
  return (call) => {
    const seen = call.body?.['seen'];
    if (seen === null || typeof seen !== 'object') return run(call);
    return call.db.transactionAs(call.identity, async (tx) => {
      // Two editors of one record queue here: the second sees what the first has written.
      await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`edit:${name(call)}`]);
      const now = (await read(tx, call)) ?? {};
      const { seen: _, ...changed } = call.body ?? {};
      const issues = Object.entries(seen).flatMap(([field, value]): FailureIssue[] => {
        if (!Object.hasOwn(now, field) || isSame(now[field], value) || isSame(now[field], changed[field])) return [];
        return [{ path: [field], message: changedMeanwhile(shown(now[field])), current: now[field] ?? null }];
      });
      if (issues.length > 0) throw new Failure('changed_meanwhile', {}, issues);
      const db = {
        ...call.db,
        queryAs: (_identity, query) => tx.query(query.text, query.values),
        transactionAs: (_identity, work) => work(tx),
      } as UserCall['db'];
      return run({ ...call, body: { ...now, ...changed }, db });
    });
  };
}

/** A field empty in a form is null in the database; an amount is a text there, and a list is a set. */
function isSame(one: unknown, other: unknown): boolean {
  return plain(one) === plain(other);
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return JSON.stringify(value.map(plain).toSorted());
  // An amount is written « 1 234,50 » in a form, and 1234.50 in the database.
  const text = textOf(value)
    .trim()
    .replace(/(?<=\d)\s(?=\d{3})/gu, '');
  return /^\d+(?:[.,]\d+)?$/u.test(text) ? text.replace(',', '.').replace(/\.0*$|(\.\d*?)0+$/u, '$1') : text;
}

/** A long text is not repeated whole under its field. */
const SHOWN_LENGTH_MAX = 200;

function shown(value: unknown): string {
  const text = Array.isArray(value) ? value.map(textOf).join(', ') : textOf(value);
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
