import { expect, test } from 'vitest';
import { noticeSum } from './notice-before-tax.ts';
import { noticePlace } from './notice-place.ts';
import { noticeWords, type NoticeFacts } from './notice.ts';

const facts: NoticeFacts = {
  kind: 'dispute_closed',
  role: 'client',
  saleId: null,
  requestId: null,
  disputeId: 'x',
  contactName: null,
  personName: null,
  amount: null,
  reason: null,
};

test('[LG-06, TM-01] the end of a dispute is told with what it adjusts, and the annulment of that too', () => {
  expect(noticeWords(facts).text).toBe('La réponse de l’entreprise est dans votre relevé.');
  expect(noticeWords({ ...facts, amount: 3_050n }).text).toBe(
    'Votre compte est ajusté de +30,50\u00a0€. La réponse de l’entreprise est dans votre relevé.',
  );
  expect(noticeWords({ ...facts, kind: 'adjustment_annulled', amount: -3_050n }).title).toBe(
    'Un ajustement de −30,50\u00a0€ a été annulé',
  );
});

test('[UI-11, TM-01] a contract to correct is told with what to correct; one that was corrected with its amount and what each gains', () => {
  const contract = {
    ...facts,
    role: 'commercial',
    disputeId: null,
    contactName: 'Léa Martin',
    reason: 'Montant hors taxes',
  } as const;
  expect(noticeWords({ ...contract, kind: 'correction_asked' })).toEqual({
    title: 'Contrat à corriger : Léa Martin',
    text: 'Corrigez-le, puis transmettez-le de nouveau. À corriger : Montant hors taxes',
  });
  const corrected = { ...contract, kind: 'contract_annulled', contractLeft: 120_000n } as const;
  expect(noticeWords({ ...corrected, contractAmount: 20_000n, amount: 2000n }).text).toBe(
    'Ce contrat est porté à 1\u202f200,00\u00a0€ : 20,00\u00a0€ de commission s’ajoutent. Raison : Montant hors taxes',
  );
  expect(noticeWords({ ...corrected, contractAmount: -20_000n, amount: -2000n }).title).toBe(
    'Contrat réduit pour Léa Martin',
  );
});

test('[PO-05, TM-01] a month that came back from the bank is told with its sum, its reason and what to look at', () => {
  const told = noticeWords({
    ...facts,
    kind: 'month_returned',
    role: 'commercial',
    disputeId: null,
    month: '2026-10-01',
    amount: 12_050n,
    reason: 'Le compte est clos.',
  });
  expect(told.title).toBe('Le virement de vos commissions d’octobre 2026 est revenu de la banque');
  expect(told.text).toContain('120,50\u00a0€ vous restent dus');
  expect(told.text).toContain('vérifiez votre compte bancaire dans « Profil »');
  expect(told.text).toContain('Le compte est clos.');
});

test('[AC-05, TM-01] what becomes of a debt is told with its sum and its reason, and leads to the account that it is of', () => {
  const debt = { ...facts, disputeId: null, amount: 4_000n, reason: 'Geste commercial.' } as const;
  expect(noticeWords({ ...debt, kind: 'debt_waived' })).toEqual({
    title: 'Vous ne devez plus cette somme : 40,00\u00a0€',
    text: 'L’entreprise abandonne cette dette. Raison : Geste commercial.',
  });
  expect(noticeWords({ ...debt, reason: null, kind: 'debt_repaid' }).title).toBe(
    'Remboursement de 40,00\u00a0€ enregistré',
  );
  expect(noticeWords({ ...debt, role: 'admin', personName: 'Léa Martin', kind: 'waiver_to_confirm' }).text).toContain(
    'Dette de Léa Martin. Raison : Geste commercial.',
  );
  const place = { kind: 'debt_repaid', saleId: null, requestId: null, debtorId: 'p' } as const;
  expect(noticePlace({ ...place, role: 'admin' })).toEqual({
    section: 'controle-des-comptes',
    detail: { personne: 'p' },
  });
  expect(noticePlace({ ...place, role: 'client' }).section).toBe('mes-commissions');
});

test('[AC-04, TM-03] a notice of a request says what was asked, which a tax that comes later does not change; paid, the sum with its tax', () => {
  expect(noticeSum('payment_approved', 75_003n, 15_001n)).toBe(75_003n);
  expect(noticeSum('payment_refused', 75_003n, 0n)).toBe(75_003n);
  expect(noticeSum('payment_paid', 75_003n, 15_001n)).toBe(90_004n);
  expect(noticeSum('invoice_accepted', 75_003n, 15_001n)).toBe(90_004n);
});
