import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** The fields of a client that may be corrected; the commercial by an admin alone (AD-06). */
export interface ClientUpdate {
  clientId: string;
  name: string;
  phone: string | null;
  company: string | null;
  notes: string | null;
  commercialId: string | null;
}

/** AD-06: corrects a client; their open referrals follow them to another commercial. */
export async function updateClient({
  clientId,
  name,
  phone,
  company,
  notes,
  commercialId,
}: ClientUpdate): Promise<void> {
  await callFunction('update-client', {
    body: { client_id: clientId, name, phone, company, notes, commercial_id: commercialId },
  });
  refresh();
}
