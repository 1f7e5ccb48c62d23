import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';

/** DF-06: tells the admins that this client waits for a commercial; gives what became of it, in words. */
export async function askCommercial(): Promise<string> {
  const { message } = await callFunction<{ message: string }>('own-account', {
    query: { action: 'ask_commercial' },
    body: {},
  });
  await queryClient.invalidateQueries({ queryKey: ['invitation-rights'] });
  return message;
}
