import { callFunction } from '../transport/call-function.ts';

/** PO-04: confirms a changed account with the link of the mail and no session. Gives what is so from now on, in words. */
export async function confirmIban(token: string): Promise<string> {
  const { message } = await callFunction<{ message: string }>('iban-confirmation', {
    body: { token },
    anonymous: true,
  });
  return message;
}
