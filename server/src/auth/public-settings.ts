import type { Operation } from './operation.ts';

/** GET /settings: which ways to sign in there are. */
export const publicSettings: Operation = {
  method: 'GET',
  url: '/settings',
  access: 'public',
  handle: async ({ settings }) => ({
    body: {
      external: { anonymous_users: false, email: true, phone: false },
      disable_signup: settings.isSignupDisabled,
      mailer_autoconfirm: settings.isAutoconfirmed,
      phone_autoconfirm: false,
      sms_provider: '',
      saml_enabled: false,
      saml_private_key_next_configured: false,
      passkeys_enabled: true,
    },
  }),
};
