import { Failure } from '@parrain/domain/failure';
import type { FailureIssue } from '@parrain/domain/failure';
import { id } from '@parrain/domain/forms/fields';
import { changedMeanwhile } from '@parrain/domain/messages';

import type { Transaction } from '#platform/database';

import type { FunctionResponse, UserCall } from './call.ts';

/** A record that a form edits: its name, told apart from others, and what it holds now in the fields of the payload. */
export type Edited = {
  readonly name: (call: UserCall) => string;
  /** The labels of fields that hold words of the wire. */
  readonly labels?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly read: (tx: Transaction, call: UserCall) => Promise<Readonly<Record<string, unknown>> | undefined>;
};

/**
 * The one way in which forms edit records (DF-34). The payload holds the fields that were changed and, in `seen`, what they held when
 * the form opened; the others stay as they are now. What somebody else changed meanwhile is refused with its value of now, and nothing
 * is written. Without `seen` a payload is whole, and stands for all that it leaves out.
 */
export function keepingOthers(
  { name, labels = {}, read }: Edited,
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
        const current = at(now, field);
        if (current === undefined || isSame(current, value) || isSame(current, changed[field])) return [];
        return [{ path: field.split('.'), message: changedMeanwhile(shown(current, labels[field])), current }];
      });
      if (issues.length > 0) throw new Failure('changed_meanwhile', {}, issues);
      const db = {
        ...call.db,
        queryAs: (_identity, query) => tx.query(query.text, query.values),
        transactionAs: (_identity, work) => work(tx),
      } as UserCall['db'];
      return run({ ...call, body: filled(now, changed), db });
    });
  };
}

/** The value of a field, « accounts.sales.label » for one of a group; undefined where the record has no such field. */
function at(record: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((group, name) => (isGroup(group) && Object.hasOwn(group, name) ? group[name] : undefined), record);
}

/** The record of now with what was changed in it. */
function filled(now: Readonly<Record<string, unknown>>, changed: Readonly<Record<string, unknown>>) {
  const body: Record<string, unknown> = structuredClone(now);
  for (const [field, value] of Object.entries(changed)) {
    const names = field.split('.');
    const last = names.pop() ?? field;
    const group = names.length === 0 ? body : at(body, names.join('.'));
    if (isGroup(group)) group[last] = value;
  }
  return body;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
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

const anId = id('');

/** A long text is not repeated whole under its field. */
const SHOWN_LENGTH_MAX = 200;

/** Null for what no person reads: a box ticked or not, an id. */
function shown(value: unknown, labels: Readonly<Record<string, string>> = {}): string | null {
  if (typeof value === 'boolean' || anId.safeParse(value).success) return null;
  const words = (Array.isArray(value) ? value : [value]).map(textOf).map((word) => labels[word] ?? word);
  const text = words.join(', ');
  return text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
