import type { Role } from '@parrain/domain/role';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { inTerms } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';

/** Somebody whose acts the journal holds. */
export interface JournalAuthor {
  id: string;
  name: string;
  email: string;
  role: Role;
}

const findsMax = 20;

/** People by name or e-mail; with nothing typed, the admins. */
export function peopleSearchQuery(text: string) {
  return queryOptions({
    queryKey: ['profiles', 'authors', text],
    queryFn: async (): Promise<readonly JournalAuthor[]> => {
      const client = await supabase();
      const people = client.from('profiles').select('id,full_name,email,role');
      const found = text === '' ? people.eq('role', 'admin') : people.or(inTerms(text));
      const rows = rowsOf(await found.order('full_name').limit(findsMax).overrideTypes<Row[], { merge: false }>());
      return rows.map(({ id, full_name: name, email, role }) => ({ id, name, email, role }));
    },
  });
}

interface Row {
  id: string;
  full_name: string;
  email: string;
  role: Role;
}

/** The name of a person, or of a contract's friend; null where neither is there any more. */
export function subjectNameQuery(id: string | undefined) {
  return queryOptions({
    queryKey: ['profiles', 'subject', id],
    queryFn: async (): Promise<string | null> => {
      const client = await supabase();
      const [people, sales] = await Promise.all([
        client
          .from('profiles')
          .select('name:full_name')
          .eq('id', id ?? ''),
        client
          .from('sales')
          .select('name:referred_contact_name')
          .eq('id', id ?? ''),
      ]);
      return [...rowsOf(people), ...rowsOf(sales)][0]?.name ?? null;
    },
    enabled: id !== undefined,
  });
}
