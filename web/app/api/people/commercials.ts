import type { Profile } from '@parrain/domain/profile';
import { profileRow, profileToDomain } from '@parrain/domain/wire';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { live } from '../transport/live.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';

export interface CommercialsAsked {
  search: string;
  page: PageMark;
  /** Only those who may receive clients and referrals. */
  activeOnly: boolean;
}

const pageSize = 24;

/** RE-03, AD-04: the commercials, the newest first. */
export function commercialsQuery(asked: CommercialsAsked) {
  return queryOptions({
    queryKey: ['profiles', 'commercials', asked],
    queryFn: () => readCommercials(asked),
    placeholderData: previousPage,
    ...live,
  });
}

async function readCommercials({ search, page, activeOnly }: CommercialsAsked): Promise<Page<Profile>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client
        .from('profiles')
        .select('id,full_name,email,phone,role,created_at,company,notes,commercial_id,deactivated_at,is_test', options)
        .eq('role', 'commercial');
      if (activeOnly) query = query.is('deactivated_at', null);
      if (search.trim() !== '') query = query.or(inTerms(search));
      return query;
    },
    { mark: page, pageSize, order: [{ column: 'created_at', desc: true }, { column: 'id' }] },
    (row) => profileToDomain(profileRow.parse(row)),
  );
}
