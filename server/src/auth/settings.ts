import { passwordLengthMin } from '@parrain/domain/forms/limits';

import type { Services } from '#platform/services';

/** How this authentication service behaves. What an installation may change comes from its configuration. */
export type AuthSettings = {
  /** Where people stand when a link leads nowhere better; also the origin that redirects are held to. */
  readonly siteUrl: string;
  /** The address of this door as it is written in mails: from the configuration alone, never from a request. */
  readonly externalUrl: string;
  /** Further targets a link may lead to: exact origins. */
  readonly redirectOrigins: readonly string[];
  readonly isSignupDisabled: boolean;
  /** Whether a new account may sign in at once, or must first follow the link it is sent. */
  readonly isAutoconfirmed: boolean;
  readonly passwordLengthMin: number;
  /** A refresh token that was just replaced is still good for so long: two tabs, an answer that was lost. */
  readonly refreshReuseSeconds: number;
  /** How long the link and code of a mail are good. */
  readonly oneTimeTokenSeconds: number;
  /** How soon the same kind of mail may leave again for the same person. */
  readonly mailCooldownSeconds: number;
  readonly userMetadataBytesMax: number;
  /** How many second factors a person may have, and how many passkeys. */
  readonly factorsMax: number;
  /** How long the question to a factor or a passkey waits for its answer. */
  readonly challengeSeconds: number;
};

export const PASSWORD_BYTES_MAX = 72;
export const CODE_ATTEMPTS_MAX = 5;

export function authSettings(services: Services, overrides: Partial<AuthSettings> = {}): AuthSettings {
  const siteUrl = services.publicUrl();
  return {
    siteUrl,
    externalUrl: `${siteUrl}/auth/v1`,
    redirectOrigins: [],
    isSignupDisabled: false,
    isAutoconfirmed: !services.config.signupConfirmation,
    passwordLengthMin,
    refreshReuseSeconds: 10,
    oneTimeTokenSeconds: 3600,
    mailCooldownSeconds: 60,
    userMetadataBytesMax: 8192,
    factorsMax: 10,
    challengeSeconds: 300,
    ...overrides,
  };
}
