import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { eInvoicingQuery, type EInvoice, type EInvoicing as Facts } from '#api/payments/e-invoices';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../../i18n.ts';
import { EInvoiceBadge } from '../../parts/e-invoice-badge.tsx';
import { EInvoicing } from './e-invoicing.tsx';

const platform = {
  flowUrl: 'https://pa.example/flow-service',
  directoryUrl: 'https://pa.example/directory-service',
  tokenUrl: 'https://pa.example/token',
  clientId: 'lumeo',
  triedAt: '2026-11-30T08:00:00Z',
};
const company: Facts = {
  platform: null,
  isLinked: false,
  isOn: false,
  siren: '732829320',
  issuesPapers: true,
  mandates: 2,
  invoices: 12,
  unsent: 5,
  never: 2,
  waiting: 0,
  refused: 0,
  trouble: null,
};

function read(facts: Facts) {
  const client = new QueryClient();
  client.setQueryData(eInvoicingQuery.queryKey, facts);
  client.setQueryData(firstAccountLineQuery(null).queryKey, new Date('2026-01-15T09:00:00Z'));
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <ToastProvider>
          <EInvoicing />
        </ToastProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  )
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/[\s\u00a0\u202f]+/gu, ' ');
}

test('[EI-03] the panel says to this company what changes and when, and is gone once a platform is on', () => {
  const before = read(company);
  expect(before).toContain('Ce qui change pour vous');
  expect(before).toContain('Cette année, 12 factures et avoirs sont concernés : 5 pièces restent à déposer.');
  expect(before).toContain('Aucune plateforme reliée');
  expect(read({ ...company, siren: null })).toContain('donnez votre SIREN');
  expect(read({ ...company, platform, isOn: true })).not.toContain('Ce qui change pour vous');
  expect(read({ ...company, mandates: 0, invoices: 0 })).toContain('choisissez votre plateforme agréée');
});

test('[EI-01] the card says what waits at the platform and why, and exports what is to be sent by hand', () => {
  const on = read({
    ...company,
    platform,
    isOn: true,
    waiting: 3,
    refused: 1,
    trouble: 'La plateforme est en panne (503).',
  });
  expect(on).toContain('pa.example');
  expect(on).toContain('3 en attente d’envoi · 1 à reprendre après un refus');
  expect(on).toContain('La plateforme est en panne (503).');
  expect(on).toContain('Désactiver le dépôt');
  expect(on).toContain('2 d’avant l’activation, à déposer');
  expect(on).toContain('Tout déposer');
  expect(on).toContain('Exporter');
  const off = read({ ...company, platform, isLinked: true });
  expect(off).toContain('Activer le dépôt');
  expect(off).toContain('À faire : activez le dépôt sur votre plateforme');
  expect(off).not.toContain('Tout déposer');
  expect(read({ ...company, invoices: 0, unsent: 0 })).not.toContain('Exporter');
});

test('[EI-01] an invoice is said by its state, and by the platform’s last word where it says more', () => {
  const said = (invoice: Partial<EInvoice>) =>
    renderToStaticMarkup(
      <I18nextProvider i18n={i18n}>
        <EInvoiceBadge
          invoice={{
            paperId: 'p',
            state: 'accepted',
            code: null,
            words: null,
            depositedAt: null,
            exportedAt: null,
            elsewhereOn: null,
            nextAt: null,
            ...invoice,
          }}
        />
      </I18nextProvider>,
    ).replaceAll(/<[^>]*>/gu, '');
  expect(said({})).toBe('Acceptée');
  expect(said({ code: '205' })).toBe('Approuvée');
  expect(said({ state: 'refused', code: '213' })).toBe('Rejetée');
  expect(said({ state: 'waiting', code: '213' })).toBe('En attente d’envoi');
  expect(said({ state: 'unsent' })).toBe('À déposer');
});
