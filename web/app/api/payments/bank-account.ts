import type { BankAccount } from '@parrain/domain/forms/company-payments';
import { abroadToWire } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { queryClient } from '../transport/query-client.ts';
import { rowsOf } from '../transport/read.ts';

/** The account that a commercial is paid on (PO-05). */
export interface KeptBankAccount {
  holder: string;
  /** Masked. */
  iban: string;
  bic: string | null;
  /** Instant before which nothing goes to an account that replaced another, unless its owner confirms it by e-mail (PO-04). AC-09: never, where its bank refused it. */
  usableFrom: string;
}

/** The account of a commercial, the last that they gave; null where there is none. */
export function bankAccountQuery(payeeId: string) {
  return queryOptions({
    queryKey: ['bank-account', payeeId],
    queryFn: async (): Promise<KeptBankAccount | null> => {
      const client = await supabase();
      const [row] = rowsOf(
        await client
          .from('bank_accounts')
          .select('holder,iban,bic,account:payee_ibans(usable_from)')
          .eq('payee_id', payeeId)
          .order('created_at', { ascending: false })
          .order('id')
          .limit(1)
          .overrideTypes<Row[], { merge: false }>(),
      );
      if (row === undefined) return null;
      return { holder: row.holder, iban: row.iban, bic: row.bic, usableFrom: row.account.usable_from };
    },
    ...live,
  });
}

/** PO-05: another account to be paid on. */
export async function updateBankAccount(account: BankAccount): Promise<void> {
  const { holder, iban, abroad } = account;
  await callFunction('own-account', { body: { action: 'set_bank_account', holder, iban, ...abroadToWire(abroad) } });
  await queryClient.invalidateQueries({ queryKey: ['bank-account'] });
}

interface Row {
  holder: string;
  iban: string;
  bic: string | null;
  account: { usable_from: string };
}
