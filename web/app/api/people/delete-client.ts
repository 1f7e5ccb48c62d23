import { callFunction } from '../transport/call-function.ts';

/** F-14, V-13: removes a client to whom nothing is owed; refused with a sentence that says why otherwise. */
export async function deleteClient(clientId: string): Promise<void> {
  await callFunction('delete-client', { body: { client_id: clientId } });
}
