import { availableBalance, debt } from '@parrain/domain/balance';
import { fromWire, type Cents } from '@parrain/domain/money';
import type { Profile } from '@parrain/domain/profile';
import { saleStates, type SaleState } from '@parrain/domain/sale';
import { balanceRow, balanceToDomain, profileRow, profileToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { rowsOf } from '../transport/read.ts';
import { readClientSummary, type ClientSummary } from './client-summaries.ts';
import { readCommercialSummary, type CommercialSummary } from './commercial-summaries.ts';
import { readNames } from './names.ts';

/** Number of a person's referrals in one state, and the amount that they add up to. */
export interface PersonState {
  state: SaleState;
  count: number;
  amount: Cents;
}

/** Balance of a client: what they have, asked for and were paid. */
export interface PersonBalance {
  earned: Cents;
  available: Cents;
  /** Kept for some days by the scale (LG-03). */
  held: Cents;
  reserved: Cents;
  paid: Cents;
  /** Debts that they paid back (AC-05). */
  repaid: Cents;
  debt: Cents;
}

/** All that the reader may know of a person (NV-02). */
export interface PersonDetail {
  person: Profile;
  commercialName: string | null;
  /** Of a client. */
  client: ClientSummary | null;
  /** Of a commercial. */
  commercial: CommercialSummary | null;
  states: readonly PersonState[];
  /** Of a client, for the admin alone (P-03). */
  balance: PersonBalance | null;
}

/** One commercial or client, for their side panel; refused as gone where there is none. */
export function personQuery(id: string) {
  return queryOptions({ queryKey: ['profiles', 'one', id], queryFn: () => readPerson(id), ...live });
}

async function readPerson(id: string): Promise<PersonDetail> {
  const client = await supabase();
  const found = await client
    .from('profiles')
    .select('id,full_name,email,phone,role,created_at,company,notes,commercial_id,deactivated_at,is_test')
    .eq('id', id)
    .in('role', ['client', 'commercial'])
    .single();
  const person = profileToDomain(profileRow.parse(rowsOf(found)));
  const isClient = person.role === 'client';
  const [names, ofClient, ofCommercial, states, balances] = await Promise.all([
    readNames([person.commercialId]),
    isClient ? readClientSummary(id) : null,
    isClient ? null : readCommercialSummary(id),
    client.rpc('person_figures', { p_id: id }).then(rowsOf<StateRow[]>),
    client
      .from('balances')
      .select('profile_id,earned,reversed,held,reserved,paid,repaid')
      .eq('profile_id', id)
      .then(rowsOf<unknown[]>),
  ]);
  const repaid = fromWire((balances[0] as { repaid: number | string } | undefined)?.repaid ?? 0);
  const [balance] = balances.map((row) => balanceToDomain(balanceRow.parse(row)));
  return {
    person,
    commercialName: person.commercialId === null ? null : (names.get(person.commercialId) ?? null),
    client: ofClient,
    commercial: ofCommercial,
    states: saleStates.flatMap((state) => {
      const row = states.find((one) => one.state === state);
      return row === undefined ? [] : [{ state, count: row.sales, amount: fromWire(row.contract_amount) }];
    }),
    balance:
      // The admin alone reads what a client earned; one without a balance has earned nothing.
      ofClient === null || ofClient.earned === null
        ? null
        : {
            earned: ofClient.earned,
            available: balance ? availableBalance(balance) : 0n,
            held: balance?.held ?? 0n,
            reserved: balance?.reserved ?? 0n,
            paid: balance?.paid ?? 0n,
            repaid,
            debt: balance ? debt(balance) : 0n,
          },
  };
}

interface StateRow {
  state: string;
  sales: number;
  contract_amount: number | string;
}
