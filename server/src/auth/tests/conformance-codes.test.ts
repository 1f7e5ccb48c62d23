// @module-tag long: src/auth/tests/protocol.test.ts holds its subject in the quick ring
import { authFailureCodes } from '@parrain/domain/failure-auth';
import { glob, readFile } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';

/** Codes of the protocol that this house never answers with, and why. */
const NEVER: Readonly<Record<string, string>> = {
  email_provider_disabled: 'an e-mail address is always a way in',
  otp_disabled: 'it would tell whether an address or a number has an account (DF-25)',
  email_address_invalid: 'an address is refused by its form alone: validation_failed',
  email_address_not_authorized: 'mails go to every address',
  mfa_totp_enroll_not_enabled: 'authenticator applications are always a second factor',
  mfa_totp_verify_not_enabled: 'authenticator applications are always a second factor',
  mfa_webauthn_enroll_not_enabled: 'security keys are always a second factor',
  mfa_webauthn_verify_not_enabled: 'security keys are always a second factor',
  mfa_verification_rejected: 'only a hook rejects a right answer, and there are none',
  passkey_disabled: 'passkeys are always a way in',
};

/** Every code that the protocol's table names. */
const PROTOCOL = [
  'validation_failed',
  'bad_json',
  'request_entity_too_large',
  'request_timeout',
  'conflict',
  'no_authorization',
  'bad_jwt',
  'not_admin',
  'user_not_found',
  'session_not_found',
  'session_expired',
  'user_banned',
  'refresh_token_not_found',
  'refresh_token_already_used',
  'invalid_credentials',
  'email_not_confirmed',
  'phone_not_confirmed',
  'weak_password',
  'same_password',
  'current_password_required',
  'current_password_invalid',
  'reauthentication_needed',
  'reauthentication_not_valid',
  'signup_disabled',
  'anonymous_provider_disabled',
  'otp_disabled',
  'user_already_exists',
  'email_provider_disabled',
  'phone_provider_disabled',
  'web3_provider_disabled',
  'email_exists',
  'phone_exists',
  'identity_already_exists',
  'email_address_invalid',
  'email_address_not_authorized',
  'otp_expired',
  'flow_state_not_found',
  'flow_state_expired',
  'flow_state_already_used',
  'bad_code_verifier',
  'bad_oauth_state',
  'bad_oauth_callback',
  'oauth_provider_not_supported',
  'provider_email_needs_verification',
  'invite_not_found',
  'over_request_rate_limit',
  'over_email_send_rate_limit',
  'over_sms_send_rate_limit',
  'captcha_failed',
  'insufficient_aal',
  'mfa_factor_name_conflict',
  'mfa_factor_not_found',
  'mfa_ip_address_mismatch',
  'mfa_challenge_expired',
  'mfa_verification_failed',
  'mfa_verification_rejected',
  'mfa_verified_factor_exists',
  'mfa_totp_enroll_not_enabled',
  'mfa_totp_verify_not_enabled',
  'mfa_phone_enroll_not_enabled',
  'mfa_phone_verify_not_enabled',
  'mfa_webauthn_enroll_not_enabled',
  'mfa_webauthn_verify_not_enabled',
  'too_many_enrolled_mfa_factors',
  'single_identity_not_deletable',
  'identity_not_found',
  'email_conflict_identity_not_deletable',
  'manual_linking_disabled',
  'saml_provider_disabled',
  'saml_relay_state_not_found',
  'saml_relay_state_expired',
  'saml_idp_not_found',
  'saml_assertion_no_user_id',
  'saml_assertion_no_email',
  'sso_provider_not_found',
  'sso_provider_disabled',
  'user_sso_managed',
  'sms_send_failed',
  'unexpected_failure',
  'webauthn_challenge_not_found',
  'webauthn_challenge_expired',
  'webauthn_verification_failed',
  'too_many_passkeys',
  'webauthn_credential_exists',
  'passkey_disabled',
  'web3_unsupported_chain',
];

const AUTH = new URL('../', import.meta.url);

let known: string[];
let tests: string;
beforeAll(async () => {
  const source = await readFile(new URL('../protocol/errors.ts', import.meta.url), 'utf8');
  const [, union = ''] = /export type AuthErrorCode =([^;]+);/u.exec(source) ?? [];
  known = [...union.matchAll(/'([a-z_0-9]+)'/gu)].map(([, code = '']) => code);
  const texts: string[] = [];
  for await (const file of glob('**/*.test.ts', { cwd: AUTH })) {
    if (!file.endsWith('conformance-codes.test.ts')) texts.push(await readFile(new URL(file, AUTH), 'utf8'));
  }
  tests = texts.join('\n');
});

test('[AU-22] each code that the door can answer is expected by a test', () => {
  expect(known.length).toBeGreaterThan(70);
  expect(known.filter((code) => !tests.includes(`'${code}'`))).toEqual([]);
});

test('[AU-22] each code that the door can answer is answered somewhere', async () => {
  const texts: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: AUTH })) {
    if (file.endsWith('.test.ts')) continue;
    const text = await readFile(new URL(file, AUTH), 'utf8');
    texts.push(file.endsWith('errors.ts') ? text.replace(/export type AuthErrorCode =[^;]+;/u, '') : text);
  }
  const source = texts.join('\n');
  expect(known.filter((code) => !source.includes(`'${code}'`))).toEqual([]);
});

test.each(PROTOCOL)('[AU-22] %s is a code of the door, or left out with its reason', (code) => {
  expect(known.includes(code) !== Object.hasOwn(NEVER, code)).toBe(true);
});

/** Refused by the client itself, without a request. */
const OF_THE_CLIENT = new Set(['ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED', 'pkce_code_verifier_not_found']);

test('[AU-22][E-01] each French sentence is that of a code of the door, or of the client', () => {
  expect(authFailureCodes.length).toBeGreaterThan(30);
  expect(authFailureCodes.filter((code) => !known.includes(code) && !OF_THE_CLIENT.has(code))).toEqual([]);
});
