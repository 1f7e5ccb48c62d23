import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { AdminCards } from '#api/company/admin-figures';
import { openDisputesQuery } from '#api/payments/disputes';
import { secondDecisionsQuery, type SecondDecision } from '#api/payments/second-decisions';
import { i18n } from '../../../i18n.ts';
import { OpenDisputes } from '../controle-des-comptes/open-disputes.tsx';
import SecondDecisions from './second-decisions.tsx';
import { ToDo } from './to-do.tsx';

const nothing = () => undefined;
const decision = (id: string, kind: SecondDecision['kind'], name: string): SecondDecision => ({
  id,
  kind,
  name,
  askedBy: 'x',
  payeeId: 'p',
  amount: 60_000n,
  createdAt: '2026-11-20T10:00:00Z',
});

function textOf(part: ReactNode, decisions: readonly SecondDecision[]): string {
  const client = new QueryClient();
  client.setQueryData(secondDecisionsQuery.queryKey, decisions);
  client.setQueryData(openDisputesQuery.queryKey, []);
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>{part}</QueryClientProvider>
    </I18nextProvider>,
  )
    .replaceAll(/<[^>]*>/gu, '')
    .replaceAll(/[\u00A0\u202F]/gu, ' ');
}

const none = { amount: 0n, oldestAt: null };
const cards: AdminCards = {
  validatedSalesCount: 0,
  revenue: 0n,
  commercialsCount: 0,
  clientsCount: 0,
  pendingCommissions: 0n,
  paidCommissions: 0n,
  salesToValidateCount: 0,
  requestsToDecideCount: 0,
  requestsToPayCount: 0,
  cancelledValidationsCount: 0,
  paymentsMade: 0n,
  toValidate: none,
  toDecide: none,
  toPay: none,
};
const figures = { data: cards, isError: false, isFetching: false, dataUpdatedAt: 0, refetch: nothing };
const lines = (...decisions: SecondDecision[]) =>
  textOf(<SecondDecisions decisions={decisions} openSection={nothing} />, []);

test('[AC-05] « À faire » has what waits for a second admin: waivers and adjustments by name, and batches', () => {
  const said = lines(
    decision('1', 'waiver', 'Camille Moreau'),
    decision('2', 'adjustment', 'Zoé Roux'),
    decision('3', 'batch', ''),
  );
  expect(said).toContain('2 abandons de dette ou ajustements à confirmer Camille Moreau, Zoé Roux');
  expect(said).toContain('1 virement groupé à valider');
  expect(lines(decision('1', 'waiver', 'Camille Moreau'))).toContain('1 abandon de dette ou ajustement à confirmer');
  // « Tout est à jour » is not said while one waits: the line itself comes with its own code.
  const upToDate = (...decisions: SecondDecision[]) =>
    textOf(<ToDo figures={figures} openSection={nothing} />, decisions).includes('Tout est à jour');
  expect([upToDate(), upToDate(decision('3', 'batch', ''))]).toEqual([true, false]);
});

test('[AC-05] a waiver that waits stands among the accounts to decide, with its amount', () => {
  const read = (...decisions: SecondDecision[]) =>
    textOf(<OpenDisputes onOpen={nothing} onAccount={nothing} />, decisions);
  const said = read(decision('1', 'waiver', 'Camille Moreau'));
  expect(said).toContain('Comptes à décider');
  expect(said).toContain('Camille Moreau Abandon de 600,00 € à confirmer');
  expect(read()).toBe('');
});
