import { authCall } from '../transport/auth-call.ts';

/** Replaces the password of the signed-in person: after a temporary password (V-19), a recovery link, or from their profile (CO-11). */
export async function choosePassword(password: string, currentPassword?: string): Promise<void> {
  await authCall(
    (auth) => auth.updateUser({ password, ...(currentPassword ? { current_password: currentPassword } : {}) }),
    'passwordChoice',
  );
}
