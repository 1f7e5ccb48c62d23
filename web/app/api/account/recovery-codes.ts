import { authCall } from '../transport/auth-call.ts';

/** New codes on paper, in place of any before: shown this once (AU-17). */
export async function makeRecoveryCodes(areThere: boolean): Promise<readonly string[]> {
  const made = await authCall((auth) =>
    areThere
      ? auth.mfa.recoveryCodes.regenerate()
      : auth.mfa.recoveryCodes.generate({ friendlyName: 'Codes de secours' }),
  );
  // A set that was not there yet is a way to sign in: the session learns of it.
  if (!areThere) await authCall((auth) => auth.refreshSession());
  return made.codes;
}

/** Number of codes that are still good. */
export async function remainingRecoveryCodes(): Promise<number> {
  return (await authCall((auth) => auth.mfa.recoveryCodes.getStatus())).remaining;
}

/** Uses up one code: the second step of a person who lost the other. */
export async function spendRecoveryCode(code: string): Promise<void> {
  await authCall((auth) => auth.mfa.recoveryCodes.verify({ code }), 'recoveryCode');
}
