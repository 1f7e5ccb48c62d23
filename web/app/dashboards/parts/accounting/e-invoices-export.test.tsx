import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { hasInvoicesQuery } from '#api/payments/e-invoices';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../../i18n.ts';
import { AccountantEInvoices } from './e-invoices-export.tsx';

function read(hasInvoices: boolean): string {
  const client = new QueryClient();
  client.setQueryData(hasInvoicesQuery.queryKey, hasInvoices);
  client.setQueryData(firstAccountLineQuery(null).queryKey, new Date('2026-01-15T09:00:00Z'));
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <ToastProvider>
          <AccountantEInvoices />
        </ToastProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  ).replaceAll(/<[^>]*>/gu, ' ');
}

test('[UI-12, EI-01] an accountant takes the invoices that are still to be sent, once there is one', () => {
  expect(read(true)).toContain('Factures électroniques');
  expect(read(true)).toContain('Exporter');
  expect(read(false)).not.toContain('Exporter');
});
