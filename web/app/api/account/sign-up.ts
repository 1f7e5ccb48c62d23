import type { Registration } from '@parrain/domain/forms/registration';
import { callFunction } from '../transport/call-function.ts';

/** F-02: creates a client's account; nothing is signed in. */
export async function signUp({ fullName, email, phone, password }: Registration): Promise<void> {
  await callFunction('auth-signup', {
    body: { email, password, full_name: fullName, phone, role: 'client' },
    anonymous: true,
  });
}
