import type { Operation } from '../protocol/operation.ts';
import type { AuthSettings } from '../protocol/settings.ts';

/** GET /settings: which ways to sign in there are. */
export const publicSettings: Operation = {
  method: 'GET',
  url: '/settings',
  access: 'public',
  handle: async ({ settings, services }) => ({
    body: {
      external: {
        anonymous_users: settings.isAnonymousAllowed,
        email: true,
        phone: settings.smsUrl !== null,
        ...providersOn(settings),
      },
      disable_signup: settings.isSignupDisabled,
      mailer_autoconfirm: settings.isAutoconfirmed,
      phone_autoconfirm: false,
      sms_provider: settings.smsUrl === null ? '' : 'http',
      saml_enabled: settings.samlProviders.length > 0,
      saml_private_key_next_configured: false,
      passkeys_enabled: true,
      // Three settings of ours, for the screens that offer them: where no mail leaves, none is promised.
      mailer_enabled: services.mail.isConfigured,
      manual_linking_enabled: settings.isManualLinkingEnabled,
      mfa_phone_enabled: settings.isPhoneFactorOn && settings.smsUrl !== null,
    },
  }),
};

/** A provider that the client has a name for is listed on or off; any other only where it is on. */
function providersOn({ oidcProviders, web3Chains }: AuthSettings): Readonly<Record<string, boolean>> {
  return {
    apple: false,
    azure: false,
    google: false,
    ...Object.fromEntries(oidcProviders.map(({ name }) => [name, true])),
    web3: web3Chains.length > 0,
  };
}
