/** Rights that a key of the company may have (WH-01). */
export const apiKeyScopes = ['read', 'referrals', 'payments'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

export const apiKeyScopeLabels: Readonly<Record<ApiKeyScope, string>> = {
  read: 'Lecture',
  referrals: 'Parrainages',
  payments: 'Paiements',
};

/** The same in a sentence, for whoever gives it. */
export const apiKeyScopeSentences: Readonly<Record<ApiKeyScope, string>> = {
  read: 'Lire les parrainages, les personnes, les barèmes, les commissions et les demandes de paiement.',
  referrals: 'Créer des parrainages et les faire avancer. La validation d’un contrat reste à un administrateur.',
  payments: 'Marquer payées des demandes qu’un administrateur a approuvées.',
};

export function isApiKeyScope(value: unknown): value is ApiKeyScope {
  return apiKeyScopes.some((scope) => scope === value);
}

export const apiKeyEndIsOver = 'Choisissez un jour à venir, ou laissez vide.';
export const apiKeyNameLengthMax = 80;

/** State of a key: a revoked key stays revoked, whatever its expiry. */
export type ApiKeyState = 'alive' | 'expired' | 'revoked';

export function apiKeyState(
  key: { readonly revokedAt: string | null; readonly expiresAt: string | null },
  now: number,
): ApiKeyState {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && Date.parse(key.expiresAt) <= now ? 'expired' : 'alive';
}
