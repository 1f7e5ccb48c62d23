import { passwordLengthMin } from '@parrain/domain/forms/limits';

import type { Captcha } from '#platform/captcha';
import type { OidcProvider, SamlProvider, Web3Chain } from '#platform/identity-providers';
import type { Services } from '#platform/services';

/** The settings of the authentication service. The configuration gives those that an installation may change. */
export type AuthSettings = {
  /** The site: the target of links without a better one, and the origin that redirects are held to. */
  readonly siteUrl: string;
  /** The address of this door in mails: from the configuration alone, never from a request. */
  readonly externalUrl: string;
  /** Further targets of links: addresses, in which `*` stands for anything but a dot or a slash, `**` for anything. */
  readonly redirectUrls: readonly string[];
  readonly isSignupDisabled: boolean;
  /** True where a new account may sign in at once, without a link to follow first. */
  readonly isAutoconfirmed: boolean;
  readonly passwordLengthMin: number;
  /** The service that knows leaked passwords; null means the built-in list alone. */
  readonly passwordLeakUrl: string | null;
  /** The time that a replaced refresh token stays good: two tabs, a lost answer. */
  readonly refreshReuseSeconds: number;
  /**
   * The longest session, the longest unused, and the longest on the first level of a person with a second factor; null
   * means no end.
   */
  readonly sessionMaxSeconds: number | null;
  readonly sessionIdleSeconds: number | null;
  readonly sessionLowAalSeconds: number | null;
  /** True where a sign-in ends the person's other sessions. */
  readonly isSessionSingle: boolean;
  /** The lifetime of a mail's link. */
  readonly oneTimeTokenSeconds: number;
  /** Lifetime of a mail's code, shorter than that of its link: the code has fewer digits. */
  readonly oneTimeCodeSeconds: number;
  /** The lifetime of a text message's code. */
  readonly smsCodeSeconds: number;
  /** The provider of text messages; null means that telephones are no way in. */
  readonly smsUrl: string | null;
  readonly isAnonymousAllowed: boolean;
  /** The captcha service; null means that none is asked. */
  readonly captcha: Captcha | null;
  /** True where a session older than a day proves itself again before it changes the password. */
  readonly isPasswordChangeSecured: boolean;
  /** True where a change of password needs the current one. */
  readonly isCurrentPasswordRequired: boolean;
  /** The cooldown between two mails of one kind to one person. */
  readonly mailCooldownSeconds: number;
  /** The mails of this door within an hour, to all together; null means no limit. */
  readonly mailsPerHour: number | null;
  readonly userMetadataBytesMax: number;
  /** The timeout of a request, after which the client retries. */
  readonly requestSeconds: number;
  /** The most second factors, and the most passkeys, of one person. */
  readonly factorsMax: number;
  /** True where a telephone may be a second factor. */
  readonly isPhoneFactorOn: boolean;
  /** The time that a challenge waits for its answer. */
  readonly challengeSeconds: number;
  readonly oidcProviders: readonly OidcProvider[];
  readonly samlProviders: readonly SamlProvider[];
  readonly web3Chains: readonly Web3Chain[];
  /** True where people may add identities to their account and remove them (AU-16). */
  readonly isManualLinkingEnabled: boolean;
  /** The time that a sign-in may take at its provider. */
  readonly providerFlowSeconds: number;
};

export const PASSWORD_BYTES_MAX = 72;
export const CODE_ATTEMPTS_MAX = 5;
/** The wrong codes within a day after which an account takes none. */
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
