import { expect, test } from 'vitest';
import { Failure, failureCodes, failureMessage, failureStatus, isFailureCode } from './failure.ts';

const codesByStatus: Readonly<Record<number, readonly string[]>> = {
  400: [
    'invalid_input',
    'action_unknown',
    'sale_not_selected',
    'contract_details_required',
    'refusal_reason_required',
    'decision_required',
    'amount_out_of_range',
    'corrected_amount_out_of_range',
    'adjustment_out_of_range',
    'message_required',
    'self_referral',
    'logo_type_refused',
    'confirmation_required',
    'account_check_required',
  ],
  401: ['session_expired', 'invalid_credentials'],
  403: [
    'password_change_required',
    'second_factor_required',
    'two_factor_setup_required',
    'forbidden',
    'self_validation',
    'own_closure',
    'cleaning_disabled',
    'reauthentication_required',
  ],
  404: [
    'invitation_not_pending',
    'not_found',
    'sale_not_found',
    'scale_not_found',
    'request_not_found',
    'client_not_found',
    'commercial_not_found',
    'closure_not_found',
    'line_not_found',
    'dispute_not_found',
  ],
  405: ['method_not_allowed'],
  409: [
    'sale_not_editable',
    'sale_changed',
    'sale_move_final',
    'sale_already_decided',
    'sale_not_ready',
    'sale_without_commercial',
    'sale_not_cancellable',
    'line_already_disputed',
    'dispute_closed',
    'adjustment_not_found',
    'adjustment_annulled',
    'account_changed',
    'debt_changed',
    'debt_act_waits',
    'dispute_changed',
    'scale_archived',
    'scale_in_use',
    'balance_in_debt',
    'request_illegal_move',
    'request_changed',
    'vat_changed',
    'settlement_known',
    'vat_number_unknown',
    'cleaning_held',
    'beneficiary_unavailable',
    'client_has_revenue',
    'client_has_commission',
    'client_has_open_request',
    'client_has_live_referral',
    'commercial_has_dependents',
    'email_taken',
    'friend_is_client',
    'friend_is_staff',
    'commercial_missing',
    'profile_not_loaded',
    'closure_already_asked',
    'closure_already_decided',
    'closure_with_open_request',
    'last_admin',
    'request_in_progress',
    'changed_meanwhile',
  ],
  413: ['logo_too_large', 'payload_too_large'],
  422: ['idempotency_key_reused'],
  428: ['seen_required'],
  429: ['rate_limited', 'daily_limit', 'mail_limit'],
  500: ['unexpected'],
  503: ['unavailable'],
};

test.each(Object.entries(codesByStatus))('[E-01] the refusals that answer %s', (status, codes) => {
  for (const code of codes) expect(isFailureCode(code) && failureStatus(code)).toBe(Number(status));
});

test('[E-01] every refusal answers with one of these statuses', () => {
  for (const code of failureCodes) expect(codesByStatus).toHaveProperty(String(failureStatus(code)));
});

test('[E-01] every refusal is one sentence, whatever its parameters', () => {
  for (const code of failureCodes) {
    for (const params of [{}, { available: '123.46' }, { available: null, role: 12 }, { autre: [] }]) {
      expect(failureMessage(code, params)).toMatch(/^\p{Lu}.{8,}/u);
    }
  }
});

test('[E-02] an expired session is said by role', () => {
  expect(failureMessage('session_expired', { role: 'admin' })).toBe(
    'Erreur: Session expirée, veuillez vous reconnecter',
  );
  expect(failureMessage('session_expired', { role: 'commercial' })).toBe('Session expirée, veuillez vous reconnecter');
  expect(failureMessage('session_expired', { role: 'client' })).toBe(
    'Votre session a expiré. Veuillez vous reconnecter.',
  );
  expect(failureMessage('session_expired')).toBe('Session expirée, veuillez vous reconnecter');
});

test.each([
  [undefined, 'dans quelques instants'],
  [60, 'dans quelques instants'],
  [61, 'dans 2 minutes'],
  [3541, 'dans 1 h'],
  [3600, 'dans 1 h'],
  [4320, 'dans 2 h'],
  [86_400, 'dans 24 h'],
])('[FX-07] after %s seconds one may try again « %s »', (retryAfterSeconds, words) => {
  for (const code of ['rate_limited', 'daily_limit', 'mail_limit'] as const) {
    expect(failureMessage(code, { retryAfterSeconds })).toMatch(new RegExp(`Réessayez ${words}\\.$`, 'u'));
  }
});

test('[V-14] the refusal of an amount gives both bounds', () => {
  const message = failureMessage('amount_out_of_range', { available: '123.46' });
  expect(message).toBe('Le montant doit être compris entre 1€ et 123,46€');
  expect(failureMessage('amount_out_of_range', { available: 1234.5 })).toBe(
    'Le montant doit être compris entre 1€ et 1\u202f234,50€',
  );
});

test('[V-13] a client who generated revenue cannot be deleted', () => {
  expect(failureMessage('client_has_revenue')).toBe('Impossible de supprimer ce client car il a généré du CA.');
});

test('[E-01] a refusal carries its code, its sentence and its status', () => {
  const failure = new Failure('amount_out_of_range', { available: '0.00' });
  expect(failure).toBeInstanceOf(Error);
  expect(failure.message).toBe('Le montant doit être compris entre 1€ et 0,00€');
  expect([failure.code, failure.status, failure.issues]).toEqual(['amount_out_of_range', 400, []]);
});

test('[E-01] the first issue heads the refusal of an invalid input', () => {
  const issues = [{ path: ['email'], message: "Le nom et l'email sont requis" }];
  expect(new Failure('invalid_input', {}, issues).message).toBe("Le nom et l'email sont requis");
  expect(new Failure('invalid_input').message).toBe('Certaines informations sont manquantes ou incorrectes.');
});

test('[E-01] an unknown code is no refusal', () => {
  expect(isFailureCode('sale_changed')).toBe(true);
  for (const value of ['toString', '__proto__', 'constructor', '', null, 12]) expect(isFailureCode(value)).toBe(false);
});
