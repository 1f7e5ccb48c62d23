import { queryOptions } from '@tanstack/react-query';
import { publicConfig } from '../transport/public-config.ts';

/** The ways to sign in that this installation offers besides the password (AU-12). */
export interface SignInWays {
  passkeys: boolean;
  /** True where visitors may open accounts by themselves. */
  registration: boolean;
  /** True where people may link other accounts to theirs, and unlink them (AU-16). */
  linking: boolean;
  /** True where a telephone may be the second step (AU-17). */
  phoneFactor: boolean;
  /** False where no mail server is configured: nothing that would be mailed is promised. */
  sendsMail: boolean;
  /** Names of identity providers: « google », « azure », a company's own. */
  providers: readonly string[];
}

/** Read once per page load; where it cannot be read, only the password is offered. */
export function signInWays(): Promise<SignInWays> {
  ways ??= readWays();
  return ways;
}

let ways: Promise<SignInWays> | undefined;

/** The same, for the screens that read it with the rest. */
export const signInWaysQuery = queryOptions({ queryKey: ['sign-in-ways'], queryFn: signInWays, staleTime: Infinity });

async function readWays(): Promise<SignInWays> {
  try {
    const { publishableKey } = await publicConfig();
    const reply = await fetch('/auth/v1/settings', { headers: { apikey: publishableKey } });
    const settings = (await reply.json()) as Settings;
    const providers = Object.entries(settings.external ?? {}).flatMap(([name, isOn]) =>
      isOn === true && !notProviders.has(name) ? [name] : [],
    );
    return {
      passkeys: settings.passkeys_enabled === true,
      registration: settings.disable_signup !== true,
      linking: settings.manual_linking_enabled === true,
      phoneFactor: settings.mfa_phone_enabled === true,
      sendsMail: settings.mailer_enabled !== false,
      providers,
    };
  } catch {
    ways = undefined;
    return onlyThePassword;
  }
}

interface Settings {
  external?: Readonly<Record<string, unknown>>;
  disable_signup?: boolean;
  passkeys_enabled?: boolean;
  manual_linking_enabled?: boolean;
  mfa_phone_enabled?: boolean;
  mailer_enabled?: boolean;
}

const onlyThePassword: SignInWays = {
  passkeys: false,
  registration: true,
  linking: false,
  phoneFactor: false,
  sendsMail: true,
  providers: [],
};

/** Names beside the providers in the settings that no page leads to. */
const notProviders: ReadonlySet<string> = new Set([
  'anonymous_users',
  'email',
  'phone',
  'web3',
  'web3_ethereum',
  'web3_solana',
]);
