import { fromWire, type Cents } from '@parrain/domain/money';
import type { Profile } from '@parrain/domain/profile';
import { profileRow, profileToDomain } from '@parrain/domain/wire';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { readNames } from './names.ts';
import { containing, readPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

/** A client as the admin's card shows them, with what they brought in (AD-06, D-07). */
export interface ClientCard extends Profile {
  commercialName: string | null;
  referralsCount: number;
  signedContractsCount: number;
  revenue: Cents;
}

export interface AllClientsAsked {
  search: string;
  commercialId: string | null;
  page: PageMark;
}

const pageSize = 24;

/** RE-03, AD-06: one page of all clients, the newest first. */
export function allClientsQuery(asked: AllClientsAsked) {
  return queryOptions({
    queryKey: ['profiles', 'clients', asked],
    queryFn: () => readAllClients(asked),
    placeholderData: keepPreviousData,
    ...live,
  });
}

async function readAllClients({ search, commercialId, page }: AllClientsAsked): Promise<Page<ClientCard>> {
  const client = await supabase();
  const found = await readPage(
    (options) => {
      let query = client
        .from('profiles')
        .select('id,full_name,email,phone,role,created_at,company,notes,commercial_id,deactivated_at,is_test', options)
        .eq('role', 'client');
      if (commercialId !== null) query = query.eq('commercial_id', commercialId);
      if (search.trim() !== '') {
        const text = containing(search);
        query = query.or(`full_name.ilike.${text},email.ilike.${text},phone.ilike.${text},company.ilike.${text}`);
      }
      return query;
    },
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    (row) => profileToDomain(profileRow.parse(row)),
  );
  // The sums are asked for the clients on screen alone: the database then counts nothing else.
  const [figures, names] = await Promise.all([
    readFigures(found.rows.map((row) => row.id)),
    readNames(found.rows.map((row) => row.commercialId)),
  ]);
  return {
    ...found,
    rows: found.rows.map((row) => {
      const figure = figures.get(row.id);
      return {
        ...row,
        commercialName: row.commercialId === null ? null : (names.get(row.commercialId) ?? null),
        referralsCount: figure?.total_referrals ?? 0,
        signedContractsCount: figure?.signed_contracts ?? 0,
        revenue: fromWire(figure?.revenue_generated ?? 0),
      };
    }),
  };
}

async function readFigures(ids: readonly string[]): Promise<ReadonlyMap<string, FigureRow>> {
  if (ids.length === 0) return new Map();
  const client = await supabase();
  const rows = rowsOf(
    await client
      .from('client_summaries')
      .select('id,total_referrals,signed_contracts,revenue_generated')
      .in('id', [...ids])
      .overrideTypes<FigureRow[], { merge: false }>(),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

interface FigureRow {
  id: string;
  total_referrals: number;
  signed_contracts: number;
  revenue_generated: number | string;
}
