import { callFunction } from '../transport/call-function.ts';

/** F-15: a referred friend asks, with the link of their mail, not to be contacted. */
export async function optOut(token: string): Promise<void> {
  await callFunction('friend-opt-out', { body: { token }, anonymous: true });
}
