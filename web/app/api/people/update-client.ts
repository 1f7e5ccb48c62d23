import { callFunction } from '../transport/call-function.ts';
import { readAgain } from '../transport/refresh.ts';
import type { Changes } from '../transport/use-edit.ts';

/** AD-06: corrects a client, of whom `changes` has what was changed alone; their open referrals follow them to another commercial. */
export async function updateClient(clientId: string, changes: Changes): Promise<void> {
  await callFunction('update-client', { body: { client_id: clientId, ...changes } });
  await readAgain();
}
