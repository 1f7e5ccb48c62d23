import { queryOptions } from '@tanstack/react-query';
import { authCall } from '../transport/auth-call.ts';

/** A passkey: the device signs in by itself, or the account that keeps it. */
export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: async (): Promise<Passkey[]> => {
    const passkeys = await authCall((auth) => auth.passkey.list());
    return passkeys.map((passkey) => ({
      id: passkey.id,
      name: passkey.friendly_name ?? '',
      createdAt: passkey.created_at,
      lastUsedAt: passkey.last_used_at ?? null,
    }));
  },
});

/** Adds a passkey of this device under a name: the browser asks for it. */
export async function addPasskey(name: string): Promise<void> {
  const { id } = await authCall((auth) => auth.registerPasskey());
  await renamePasskey(id, name);
}

export async function renamePasskey(passkeyId: string, friendlyName: string): Promise<void> {
  await authCall((auth) => auth.passkey.update({ passkeyId, friendlyName }));
}

export async function removePasskey(passkeyId: string): Promise<void> {
  await authCall((auth) => auth.passkey.delete({ passkeyId }));
}
