import { fromWire, toWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import type { Role } from '@parrain/domain/role';
import type { StatementPeriod } from '@parrain/domain/statement';

import type { Transaction } from '#platform/database';

import type { ExportedRow } from '../csv.ts';
import { lists } from '../lists.ts';
import type { ListColumn } from '../lists.ts';
import { openList } from '../read-list.ts';

/** Sums that the company owes a payee, by their state. */
export type Due = { readonly held: Cents; readonly available: Cents; readonly reserved: Cents };

/** A payee's account over a period, from the ledger (PP-03). */
export type Statement = {
  readonly period: StatementPeriod;
  /** False while the period lasts: lines may still come. */
  readonly isOver: boolean;
  readonly companyName: string;
  readonly payee: { readonly id: string; readonly fullName: string; readonly role: Role };
  readonly opening: Due;
  readonly closing: Due;
  readonly earned: Cents;
  readonly reversed: Cents;
  readonly paid: Cents;
  /** Debts that the payee paid back, less what was annulled of it (AC-05). */
  readonly repaid: Cents;
  /** The VAT that was paid in addition, less what came back: beside what is due, never in it (PP-02). */
  readonly vat: Cents;
  readonly lineCount: number;
  /** Rows of `statementColumns`, in the order of their days. */
  readonly batches: () => AsyncGenerator<readonly ExportedRow[]>;
};

/** The columns of its lines: those of the account's export, without the payee. The last but two is the balance after the line. */
export const statementColumns: readonly ListColumn[] = lists['account-lines'].columns.filter(
  ({ label }) => label !== 'Bénéficiaire',
);
const changeAt = statementColumns.findIndex(({ label }) => label === 'Mouvement');
const balanceAt = statementColumns.findIndex(({ label }) => label === 'Disponible après');

/** The beginning of a day in France, whose date is a value of the statement. */
export const instant = (place: number): string => `($${place}::date::timestamp at time zone 'Europe/Paris')`;
const changeOf = (account: string): string =>
  `case when e.credit = '${account}' then e.amount when e.debit = '${account}' then -e.amount else 0 end`;
const before = (account: string): string =>
  `coalesce(sum(${changeOf(account)}) filter (where e.at < ${instant(2)}), 0)::text`;
const atEnd = (account: string): string => `coalesce(sum(${changeOf(account)}), 0)::text`;
const within = (condition: string): string =>
  `coalesce(sum(e.amount) filter (where e.at >= ${instant(2)} and ${condition}), 0)::text`;

// A transfer that the bank sent back is not paid.
const paidWithin = `coalesce(sum(case when e.credit = 'paid' then e.amount else -e.amount end)
      filter (where e.at >= ${instant(2)} and 'paid' in (e.debit, e.credit)), 0)::text`;

const repaidWithin = `coalesce(sum(case when e.debit = 'repaid' then e.amount else -e.amount end)
      filter (where e.at >= ${instant(2)} and 'repaid' in (e.debit, e.credit)), 0)::text`;

const vatWithin = `coalesce(sum(case e.act when 'vat' then e.amount else -e.amount end)
      filter (where e.at >= ${instant(2)} and e.act in ('vat', 'vat_return')), 0)::text`;

// One's own account; the admin reads everybody's.
const HEAD = `
  select p.full_name as name, p.role, ${instant(3)} <= now() as is_over, (select c.company_name from public.company_settings c) as company,
    ${before('held')} as held_before, ${before('available')} as available_before, ${before('reserved')} as reserved_before,
    ${atEnd('held')} as held, ${atEnd('available')} as available, ${atEnd('reserved')} as reserved,
    ${within(`e.debit = 'charged'`)} as earned, ${within(`e.credit = 'charged'`)} as reversed, 
    ${paidWithin} as paid, ${repaidWithin} as repaid, ${vatWithin} as vat
  from public.profiles p left join public.ledger_entries e on e.payee_id = p.id and e.at < ${instant(3)}
  where p.id = $1 and (p.id = (select private.uid()) or (select private.user_role()) = 'admin')
  group by p.id`;

type Head = Readonly<
  Record<
    | 'name'
    | 'company'
    | 'held_before'
    | 'available_before'
    | 'reserved_before'
    | 'held'
    | 'available'
    | 'reserved'
    | 'earned'
    | 'reversed'
    | 'paid'
    | 'repaid'
    | 'vat',
    string
  >
> & { readonly role: Role; readonly is_over: boolean };

/** Opens a payee's statement inside a snapshot; null where the reader may not see that account. */
export async function openStatement(
  tx: Transaction,
  payeeId: string,
  period: StatementPeriod,
): Promise<Statement | null> {
  const values = [payeeId, period.fromDay, period.beforeDay];
  const { rows } = await tx.query<Head>(HEAD, values);
  const [head] = rows;
  if (head === undefined) return null;
  const list = await openList(
    tx,
    { relation: 'account_lines', columns: statementColumns },
    {
      from: 'public.account_lines t0',
      where: ` where t0.payee_id = $1 and t0.at >= ${instant(2)} and t0.at < ${instant(3)}`,
      order: ' order by t0.at, t0.entry_id',
      values,
    },
  );
  const opening = {
    held: fromWire(head.held_before),
    available: fromWire(head.available_before),
    reserved: fromWire(head.reserved_before),
  };
  return {
    period,
    isOver: head.is_over,
    companyName: head.company,
    payee: { id: payeeId, fullName: head.name, role: head.role },
    opening,
    closing: { held: fromWire(head.held), available: fromWire(head.available), reserved: fromWire(head.reserved) },
    earned: fromWire(head.earned),
    reversed: fromWire(head.reversed),
    paid: fromWire(head.paid),
    repaid: fromWire(head.repaid),
    vat: fromWire(head.vat),
    lineCount: list.rowCount,
    async *batches() {
      // By day, as the period is cut; the account's own balance goes by the order of posting.
      let available = opening.available;
      for await (const batch of list.batches()) {
        yield batch.map((row) => {
          available += fromWire(row[changeAt] ?? '0');
          return row.map((value, place) => (place === balanceAt ? toWire(available) : value));
        });
      }
    },
  };
}

/** All that the company owes of it. */
export function dueOf({ held, available, reserved }: Due): Cents {
  return held + available + reserved;
}

/** Everybody whose account moved in the period, or had something on it at its end; for the admin. */
export async function payeesOf(tx: Transaction, { fromDay, beforeDay }: StatementPeriod): Promise<readonly string[]> {
  const { rows } = await tx.query<{ payee_id: string }>(
    `select e.payee_id from public.ledger_entries e join public.profiles p on p.id = e.payee_id
     where e.at < ${instant(2)}
     group by e.payee_id, p.full_name
     having bool_or(e.at >= ${instant(1)})
       or sum(case when e.credit in ('held', 'available', 'reserved') then e.amount else 0 end
         - case when e.debit in ('held', 'available', 'reserved') then e.amount else 0 end) <> 0
     order by p.full_name, e.payee_id`,
    [fromDay, beforeDay],
  );
  return rows.map((row) => row.payee_id);
}
