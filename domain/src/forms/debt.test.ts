import { expect, test } from 'vitest';
import { repaymentForm, startedAdjustmentForm, waiverForm } from './debt.ts';

// AC-05: what a payee owes. What the database refuses: database/tests/debts.test.ts.

const payee = '11111111-2222-4333-8444-555555555555';
const messagesOf = (result: { readonly error?: { readonly issues: readonly { readonly message: string }[] } }) =>
  (result.error?.issues ?? []).map(({ message }) => message);

test('[AC-05] a repayment has an amount and a means; its reference and its day may be left out', () => {
  const paid = { payee_id: payee, amount: '12,50', method: 'cheque', reference: ' CHQ 7 ', seen_debt: '30' };
  expect(repaymentForm.parse(paid)).toEqual({
    payee_id: payee,
    amount: 1_250n,
    method: 'cheque',
    reference: 'CHQ 7',
    paid_on: null,
    seen_debt: 3_000n,
  });
  for (const amount of ['', '0', null, undefined])
    expect(messagesOf(repaymentForm.safeParse({ ...paid, amount }))).toEqual([
      'Indiquez un montant, au plus celui de la dette',
    ]);
  expect(repaymentForm.safeParse({ ...paid, method: 'or' }).success).toBe(false);
  expect(repaymentForm.safeParse({ ...paid, paid_on: 'hier' }).success).toBe(false);
});

test('[AC-05] a waiver and an adjustment say why; what was on screen may be below zero', () => {
  expect(messagesOf(waiverForm.safeParse({ payee_id: payee, amount: '5', reason: ' ', seen_debt: '5' }))).toEqual([
    'Dites pourquoi : la personne le lira',
  ]);
  const less = { payee_id: payee, direction: 'less', amount: '5', reason: 'Erreur.', seen_available: '-12.30' };
  expect(startedAdjustmentForm.parse(less)).toMatchObject({ amount: 500n, seen_available: -1_230n });
  for (const odd of [{ amount: '10000,01' }, { direction: 'none' }, { seen_available: 'rien' }])
    expect(startedAdjustmentForm.safeParse({ ...less, ...odd }).success).toBe(false);
});
