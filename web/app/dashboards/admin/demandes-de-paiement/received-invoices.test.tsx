import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { receivedInvoicesQuery, type ReceivedInvoices, type ReceivedRow } from '#api/payments/received-invoices';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../../i18n.ts';
import Received from './received-invoices.tsx';

const waiting: ReceivedRow = {
  id: 'one',
  state: 'listed',
  notedAt: '2026-11-30T08:00:00Z',
  said: {
    number: 'FA-7',
    day: '2026-11-23',
    type: '380',
    currency: 'EUR',
    amount: 75_003n,
    vat: 15_001n,
    total: 90_004n,
    due: null,
    sellerName: 'Bois & Fils',
    sellerSiren: '552100554',
    sellerVat: null,
    buyerSiren: null,
    buyerVat: null,
  },
  isCredit: false,
  reason: 'several_requests',
  refusalReason: null,
  hasFile: true,
  payeeName: null,
  requestId: null,
  month: null,
  told: null,
  supplier: null,
  candidates: [
    {
      of: 'request',
      id: 'r1',
      payeeId: 'lea',
      amount: 75_003n,
      createdAt: '2026-11-20T08:00:00Z',
      name: 'Léa Martin',
    },
  ],
};

function read(...rows: readonly ReceivedRow[]): string {
  return shown({ invoices: rows, suppliers: [] });
}
function shown(data: ReceivedInvoices): string {
  const client = new QueryClient();
  client.setQueryData(receivedInvoicesQuery.queryKey, data);
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <ToastProvider>
          <Received onRequest={() => undefined} onMonth={() => undefined} />
        </ToastProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  )
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/[\s\u00a0\u202f]+/gu, ' ');
}

test('[EI-02] the list says whose invoice it is, its amounts, why it waits, and what may be done; nothing where none came', () => {
  const text = read(waiting);
  for (const words of [
    'Factures reçues',
    'Bois &amp; Fils, facture n° FA-7',
    'À traiter',
    'Datée du 23 nov. 2026, 750,03 € hors taxe, 150,01 € de TVA, 900,04 € en tout',
    'Plusieurs demandes ouvertes ont ce montant.',
    'Rapprocher Refuser Écarter',
  ])
    expect(text).toContain(words);
  const untaxed = { ...waiting, said: waiting.said && { ...waiting.said, vat: 0n, total: waiting.said.amount } };
  expect(read(untaxed)).toContain('Datée du 23 nov. 2026, 750,03 € sans TVA');
  expect(read({ ...waiting, candidates: [] })).not.toContain('Rapprocher');
  expect(read()).not.toContain('Factures reçues');
});

test('[EI-02] a credit note cannot be matched there, nor a file without a number be refused', () => {
  const credit = read({ ...waiting, isCredit: true, reason: 'credit_note', candidates: [] });
  expect(credit).toContain('avoir n° FA-7');
  expect(credit).not.toContain('Rapprocher');
  const odd = read({ ...waiting, said: null, reason: 'unreadable', candidates: [] });
  expect(odd).toContain('Expéditeur inconnu, fichier sans numéro');
  expect(odd).not.toContain('Refuser');
  expect(odd).toContain('Écarter');
});

test('[EI-02] what was decided says what its seller was told', () => {
  const told = { code: '205', state: 'deposited', words: null } as const;
  const done = read({ ...waiting, state: 'accepted', reason: null, requestId: 'r1', payeeName: 'Léa Martin', told });
  expect(done).toContain('Réponse transmise : Approuvée');
  expect(done).toContain('Voir la demande');
  expect(read({ ...waiting, state: 'matched', reason: null, month: '2026-10-01' })).toContain('Voir le mois');
  expect(done).not.toContain('Voir le mois');
  expect(done).not.toContain('Écarter');
  expect(
    read({
      ...waiting,
      state: 'refused',
      refusalReason: 'Doublon',
      told: { ...told, code: '210', state: 'refused', words: 'CDAR' },
    }),
  ).toContain(
    'Doublon · La plateforme n’a pas pris la réponse « Refusée ». CDAR. Renvoyez-la ; si elle la refuse encore, répondez sur le site de la plateforme.',
  );
});

test('[EI-02] an answer says what the platform made of it, and is given again only where it was refused', () => {
  const decided = { ...waiting, state: 'accepted', reason: null } as const;
  const told = { code: '205', state: 'accepted', words: null } as const;
  const taken = read({ ...decided, told });
  expect(taken).toContain('Réponse acceptée par la plateforme : Approuvée');
  expect(taken).not.toContain('Renvoyer la réponse');
  expect(read({ ...decided, told: { ...told, state: 'refused', words: 'Facture inconnue' } })).toContain(
    'Renvoyer la réponse',
  );
});

test('[EI-02] suppliers that were set aside are said with what went with them, even where nothing waits', () => {
  const supplier = { siren: '542107651', name: 'Énergies SA', invoices: 12, lastAt: '2026-11-20T08:00:00Z' };
  const text = shown({ invoices: [], suppliers: [supplier] });
  for (const words of [
    'Fournisseurs écartés (1)',
    'Énergies SA',
    'SIREN 542107651, 12 factures écartées, la dernière le 20 nov. 2026',
    'Ne plus écarter',
  ])
    expect(text).toContain(words);
});
