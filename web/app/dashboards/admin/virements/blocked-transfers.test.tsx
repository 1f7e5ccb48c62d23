import { accountRefused } from '@parrain/domain/payment-batch';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import type { Transfer } from '#api/payments/batches';
import { i18n } from '../../../i18n.ts';
import { BlockedTransfers } from './blocked-transfers.tsx';

const refused: Transfer = {
  id: 'd',
  clientId: 'k',
  clientName: 'Léa Martin',
  amount: 5000n,
  beneficiary: 'Léa Martin',
  iban: 'FR76 •••• •••• 0189',
  createdAt: '2026-11-20T10:00:00Z',
  isTest: false,
  obstacle: 'iban',
  ibanUsableFrom: '9999-12-31T12:00:00+00:00',
  ibanSharedWith: null,
  month: null,
  standing: [],
};

test('[AC-09] a transfer to an account that its bank refused is listed with why, the way to its request, and the act that lifts it', () => {
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter>
          <BlockedTransfers
            transfers={[refused, { ...refused, id: 'e', clientId: 'e', clientName: 'Paul Agent', month: '2026-10-01' }]}
            hrefOf={(section, params) => `?${new URLSearchParams({ section, ...params }).toString()}`}
          />
        </MemoryRouter>
      </QueryClientProvider>
    </I18nextProvider>,
  );
  expect(html.replaceAll(/[\u00A0\u202F]/gu, ' ')).toContain(accountRefused);
  expect(html).toMatch(/aria-label="Lever le refus\s:\sLéa Martin"/u);
  expect(html).toContain('href="/?section=demandes-de-paiement&amp;demande=d"');
  expect(html).toContain('href="/?section=commerciaux&amp;commercial=e"');
  expect(html).not.toContain('Lever l’attente');
});
