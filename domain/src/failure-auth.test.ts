import { expect, test } from 'vitest';
import { arrivalRefusal, authFailureCodes, authFailureMessage } from './failure-auth.ts';
import { failureMessage } from './failure.ts';

test('[E-01] each refusal of the authentication service that has words is said in a French sentence', () => {
  for (const code of authFailureCodes) {
    const sentences = [authFailureMessage(code), arrivalRefusal(code)].filter((sentence) => sentence !== undefined);
    for (const sentence of sentences) expect(sentence).toMatch(/^\p{Lu}.{8,}\.$/u);
  }
  expect(authFailureMessage('toString')).toBeUndefined();
  expect(authFailureMessage('unexpected_failure')).toBeUndefined();
});

test('[E-01] a refusal that both services know is said in the same words', () => {
  expect(authFailureMessage('email_exists')).toBe(failureMessage('email_taken'));
  expect(authFailureMessage('user_banned')).toBe(failureMessage('account_disabled'));
  expect(authFailureMessage('session_expired')).toBe(failureMessage('session_expired', { role: 'client' }));
});

test('[E-01] the moment goes before the code, the code before what the moment says of any other refusal', () => {
  expect(authFailureMessage('mfa_verification_failed')).toContain('votre application');
  expect(authFailureMessage('mfa_verification_failed', { moment: 'recoveryCode' })).toBe(
    'Ce code n’est pas le bon, ou il a déjà servi.',
  );
  expect(authFailureMessage('user_banned', { moment: 'passwordChoice' })).toContain('désactivé');
  expect(authFailureMessage('conflict', { moment: 'passwordChoice' })).toBe(
    'Le mot de passe n’a pas pu être enregistré. Réessayez.',
  );
  expect(authFailureMessage('ERROR_CEREMONY_ABORTED', { moment: 'securityKey', isCeremony: true })).toContain(
    'annulée',
  );
  expect(arrivalRefusal('otp_expired')).toContain('Un lien n’est valable qu’une fois');
});

test('[AU-22] a weak password is said with each of its reasons', () => {
  const both = authFailureMessage('weak_password', { reasons: ['length', 'characters'] });
  expect(both).toContain('trop court');
  expect(both).toContain('manque de variété');
  for (const reasons of [[], ['a-new-reason']]) {
    expect(authFailureMessage('weak_password', { reasons })).toContain('facile à deviner');
  }
});
