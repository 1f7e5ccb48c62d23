import { isRole, type Role } from '@parrain/domain/role';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { supabase } from '../transport/client.ts';
import { rowsOf } from '../transport/read.ts';
import { refresh } from '../transport/refresh.ts';

/** A person who asks for their account to be closed (CO-11, CL-09). */
export interface ClosureRequest {
  id: string;
  requestedAt: string;
  message: string | null;
  status: 'pending' | 'withdrawn' | 'accepted' | 'rejected';
  /** The admin's answer. */
  notes: string | null;
  decidedAt: string | null;
}

export interface PendingClosure extends ClosureRequest {
  person: { id: string; fullName: string; email: string | null; role: Role };
}

const columns = 'id,requested_at,personal_message,status,notes,decided_at';

interface Row {
  id: string;
  requested_at: string;
  personal_message: string | null;
  status: ClosureRequest['status'];
  notes: string | null;
  decided_at: string | null;
}

/** My last request, if there ever was one. */
export function ownClosureQuery(profileId: string) {
  return queryOptions({
    queryKey: ['account-closure', profileId],
    queryFn: async (): Promise<ClosureRequest | null> => {
      const client = await supabase();
      const [row] = rowsOf(
        await client
          .from('account_closure_requests')
          .select(columns)
          .eq('profile_id', profileId)
          .order('requested_at', { ascending: false })
          .limit(1)
          .overrideTypes<Row[], { merge: false }>(),
      );
      return row ? toRequest(row) : null;
    },
  });
}

/** The requests that wait for an admin, the oldest first; never one's own. */
export function pendingClosuresQuery(myId: string) {
  return queryOptions({
    queryKey: ['pending-closures', myId],
    queryFn: async (): Promise<PendingClosure[]> => {
      const client = await supabase();
      const rows = rowsOf(
        await client
          .from('account_closure_requests')
          .select(`${columns},person:profiles(id,full_name,email,role)`)
          .eq('status', 'pending')
          .neq('profile_id', myId)
          .order('requested_at')
          .limit(100)
          .overrideTypes<PendingRow[], { merge: false }>(),
      );
      return rows.map((row) => ({
        ...toRequest(row),
        person: {
          id: row.person.id,
          fullName: row.person.full_name,
          email: row.person.email,
          role: isRole(row.person.role) ? row.person.role : 'client',
        },
      }));
    },
  });
}

interface PendingRow extends Row {
  person: { id: string; full_name: string; email: string | null; role: string };
}

export async function requestClosure(message: string | null): Promise<void> {
  await callFunction('account-closure', { body: { action: 'request', personal_message: message } });
  refresh();
}

export async function withdrawClosure(): Promise<void> {
  await callFunction('account-closure', { body: { action: 'withdraw' } });
  refresh();
}

/** Closes the account or refuses to, with the reason; gives what became of it. */
export async function decideClosure(decision: {
  requestId: string;
  accept: boolean;
  notes: string | null;
  reassignTo?: string | null;
}): Promise<'deleted' | 'closed' | 'rejected'> {
  const { outcome } = await callFunction<{ outcome: 'deleted' | 'closed' | 'rejected' }>('account-closure', {
    body: {
      action: 'decide',
      request_id: decision.requestId,
      accept: decision.accept,
      notes: decision.notes,
      reassign_to: decision.reassignTo ?? null,
    },
  });
  refresh();
  return outcome;
}

function toRequest(row: Row): ClosureRequest {
  return {
    id: row.id,
    requestedAt: row.requested_at,
    message: row.personal_message,
    status: row.status,
    notes: row.notes,
    decidedAt: row.decided_at,
  };
}
