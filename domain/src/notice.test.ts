import { expect, test } from 'vitest';
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
