import { passwordLengthMin } from '@parrain/domain/forms/limits';

import type { Captcha } from '#platform/captcha';
import type { OidcProvider, SamlProvider, Web3Chain } from '#platform/identity-providers';
import type { Services } from '#platform/services';

/** How this authentication service behaves. What an installation may change comes from its configuration. */
export type AuthSettings = {
  /** Where people stand when a link leads nowhere better; also the origin that redirects are held to. */
  readonly siteUrl: string;
  /** The address of this door as it is written in mails: from the configuration alone, never from a request. */
  readonly externalUrl: string;
  /** Further targets a link may lead to: addresses, in which `*` stands for anything but a dot or a slash, `**` for anything. */
  readonly redirectUrls: readonly string[];
  readonly isSignupDisabled: boolean;
  /** Whether a new account may sign in at once, or must first follow the link it is sent. */
  readonly isAutoconfirmed: boolean;
  readonly passwordLengthMin: number;
  /** The service that knows leaked passwords; null means the list at hand alone. */
  readonly passwordLeakUrl: string | null;
  /** A refresh token that was just replaced is still good for so long: two tabs, an answer that was lost. */
  readonly refreshReuseSeconds: number;
  /** How long a session lasts at most, how long unused, how long on the first level of who has a second; null means no end. */
  readonly sessionMaxSeconds: number | null;
  readonly sessionIdleSeconds: number | null;
  readonly sessionLowAalSeconds: number | null;
  /** Whether signing in ends the person's other sessions. */
  readonly isSessionSingle: boolean;
  /** How long the link of a mail is good. */
  readonly oneTimeTokenSeconds: number;
  /** How long the code of a mail is good: fewer figures, less time. */
  readonly oneTimeCodeSeconds: number;
  /** The same for the code of a text message. */
  readonly smsCodeSeconds: number;
  /** Through whom text messages leave; null means that telephones are no way in. */
  readonly smsUrl: string | null;
  readonly isAnonymousAllowed: boolean;
  /** Who says that somebody is no program; null means that nobody is asked. */
  readonly captcha: Captcha | null;
  /** Whether a session older than a day proves itself again before it changes the password. */
  readonly isPasswordChangeSecured: boolean;
  /** Whether the password is only changed by who gives the current one. */
  readonly isCurrentPasswordRequired: boolean;
  /** How soon the same kind of mail may leave again for the same person. */
  readonly mailCooldownSeconds: number;
  /** How many mails of this door may leave within an hour, to everybody together; null means no limit. */
  readonly mailsPerHour: number | null;
  readonly userMetadataBytesMax: number;
  /** How long a request may take before its client is told to come back. */
  readonly requestSeconds: number;
  /** How many second factors a person may have, and how many passkeys. */
  readonly factorsMax: number;
  /** Whether a telephone may be a second factor. */
  readonly isPhoneFactorOn: boolean;
  /** How long the question to a factor or a passkey waits for its answer. */
  readonly challengeSeconds: number;
  readonly oidcProviders: readonly OidcProvider[];
  readonly samlProviders: readonly SamlProvider[];
  readonly web3Chains: readonly Web3Chain[];
  /** Whether people may add identities to their account and take them away (AU-16). */
  readonly isManualLinkingEnabled: boolean;
  /** How long a sign-in may stay away at its provider. */
  readonly providerFlowSeconds: number;
};

export const PASSWORD_BYTES_MAX = 72;
export const CODE_ATTEMPTS_MAX = 5;
/** How many wrong codes an account takes within a day before it takes none any more. */
export const WRONG_CODES_PER_DAY = 20;

export function authSettings(services: Services, overrides: Partial<AuthSettings> = {}): AuthSettings {
  const siteUrl = services.publicUrl();
  return {
    siteUrl,
    externalUrl: `${siteUrl}/auth/v1`,
    redirectUrls: services.config.redirectUrls,
    isSignupDisabled: services.config.signupDisabled,
    isAutoconfirmed: !services.config.signupConfirmation,
    passwordLengthMin,
    passwordLeakUrl: services.config.passwordLeakUrl,
    refreshReuseSeconds: 10,
    sessionMaxSeconds: seconds(services.config.sessionMaxHours, 3600),
    sessionIdleSeconds: seconds(services.config.sessionIdleHours, 3600),
    sessionLowAalSeconds: seconds(services.config.sessionLowAalMinutes, 60),
    isSessionSingle: services.config.sessionSingle,
    oneTimeTokenSeconds: 3600,
    oneTimeCodeSeconds: 600,
    smsCodeSeconds: 300,
    smsUrl: services.config.smsUrl,
    isAnonymousAllowed: services.config.anonymousSignIn,
    captcha: services.config.captcha,
    isPasswordChangeSecured: true,
    isCurrentPasswordRequired: services.config.requireCurrentPassword,
    mailCooldownSeconds: 60,
    mailsPerHour: services.config.mailsPerHour,
    userMetadataBytesMax: 8192,
    requestSeconds: 10,
    factorsMax: 10,
    isPhoneFactorOn: services.config.mfaPhone,
    challengeSeconds: 300,
    oidcProviders: services.config.oidcProviders,
    samlProviders: services.config.samlProviders,
    web3Chains: services.config.web3Chains,
    isManualLinkingEnabled: services.config.manualLinking,
    providerFlowSeconds: 600,
    ...overrides,
  };
}

function seconds(count: number | null, each: number): number | null {
  return count === null ? null : count * each;
}
