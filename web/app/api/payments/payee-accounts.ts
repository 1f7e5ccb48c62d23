import { fromWire, type Cents } from '@parrain/domain/money';
import type { Role } from '@parrain/domain/role';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

/** A person whose account has a line, with its balances (LG-02). */
export interface PayeeAccount {
  id: string;
  fullName: string;
  role: Role;
  earned: Cents;
  reversed: Cents;
  /** Amounts that disputes gave, less those they took (LG-06). */
  adjusted: Cents;
  /** Debts that the company waived (AC-05). */
  waived: Cents;
  /** Debts that they paid back (AC-05). */
  repaid: Cents;
  /** Kept for some days by the scale (LG-03). */
  held: Cents;
  reserved: Cents;
  paid: Cents;
  /** The VAT that was paid in addition to it, which no balance counts (PP-02). */
  vatPaid: Cents;
  /** Below zero: a debt (S-11). */
  available: Cents;
}

export interface PayeeAccountsAsked {
  search: string;
  page: PageMark;
}

const pageSize = 20;
const columns = 'id,full_name,role,earned,reversed,adjusted,repaid,held,reserved,paid,vat_paid,available,waived';

/** One page of all accounts, by name. */
export function payeeAccountsQuery(asked: PayeeAccountsAsked) {
  return queryOptions({
    queryKey: ['figures', 'payee-accounts', asked],
    queryFn: () => readAccounts(asked),
    placeholderData: previousPage,
    ...live,
  });
}

/** One person's balances; null where nothing was ever theirs. */
export function payeeAccountQuery(id: string) {
  return queryOptions({
    queryKey: ['figures', 'payee-account', id],
    queryFn: async () => {
      const client = await supabase();
      const [row] = rowsOf(await client.from('payee_accounts').select(columns).eq('id', id));
      return row === undefined ? null : toAccount(row);
    },
    ...live,
  });
}

async function readAccounts({ search, page }: PayeeAccountsAsked): Promise<Page<PayeeAccount>> {
  const client = await supabase();
  return readPage(
    (options) => {
      const query = client.from('payee_accounts').select(columns, options);
      return search.trim() === '' ? query : query.or(inTerms(search));
    },
    { mark: page, pageSize, order: [{ column: 'full_name' }, { column: 'id' }] },
    toAccount,
  );
}

function toAccount(found: unknown): PayeeAccount {
  const row = found as Row;
  return {
    id: row.id,
    fullName: row.full_name,
    role: row.role,
    earned: fromWire(row.earned),
    reversed: fromWire(row.reversed),
    // The server counts what was waived among what was adjusted.
    adjusted: fromWire(row.adjusted) - fromWire(row.waived),
    waived: fromWire(row.waived),
    repaid: fromWire(row.repaid),
    held: fromWire(row.held),
    reserved: fromWire(row.reserved),
    paid: fromWire(row.paid),
    vatPaid: fromWire(row.vat_paid),
    available: fromWire(row.available),
  };
}

interface Row {
  id: string;
  full_name: string;
  role: Role;
  earned: number | string;
  reversed: number | string;
  adjusted: number | string;
  waived: number | string;
  repaid: number | string;
  held: number | string;
  reserved: number | string;
  paid: number | string;
  vat_paid: number | string;
  available: number | string;
}
