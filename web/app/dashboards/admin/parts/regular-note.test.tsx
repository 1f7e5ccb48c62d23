import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { regularPayeeQuery, regularPayeesQuery, type RegularPayee } from '#api/payments/regular-payees';
import { firstPage } from '#api/transport/read-page';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../../i18n.ts';
import { RegularPayees } from '../comptabilite/regular-payees.tsx';
import { RegularPayeesLine } from '../vue-d-ensemble/regular-payees-line.tsx';
import { RegularNote } from './regular-note.tsx';

const payee: RegularPayee = {
  id: 'k',
  fullName: 'Camille Moreau',
  contracts: 4,
  payments: 1,
  paid: 80_000n,
  dealtAt: null,
};

/** The text of a part, and what its links and buttons say, once these were read. */
function read(part: ReactNode, known: readonly (readonly [readonly unknown[], unknown])[]) {
  const client = new QueryClient();
  for (const [key, data] of known) client.setQueryData(key, data);
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <MemoryRouter>
          <ToastProvider>{part}</ToastProvider>
        </MemoryRouter>
      </QueryClientProvider>
    </I18nextProvider>,
  );
  return { html, text: html.replaceAll(/<[^>]*>/gu, '').replaceAll(/[\u00A0\u202F]/gu, ' ') };
}

const note = (found: RegularPayee | null) =>
  read(<RegularNote payeeId="k" />, [[regularPayeeQuery('k').queryKey, found]]).text;

test('[AC-10] the panel says how regular a particulier is, what it means, what to do, and that nothing is blocked', () => {
  const said = note(payee);
  expect(said).toContain('4 contrats en douze mois, 1 paiement pour 800,00 €.');
  expect(said).toContain('Demandez à la personne de s’inscrire comme micro-entrepreneur');
  expect(said).toContain('Rien n’est bloqué');
  expect(said).toContain('C’est traité');
  expect(note({ ...payee, payments: 0, paid: 0n })).toContain('4 contrats en douze mois, aucun paiement.');
  expect(note(null)).not.toContain('régulière');
  const dealt = note({ ...payee, dealtAt: '2026-11-29T10:00:00Z' });
  expect(dealt).toContain('C’est traité depuis le 29 nov. 2026.');
  expect(dealt).not.toContain('Demandez');
});

test('[AC-10] « Comptabilité » lists them, each leading to their panel; nothing stands there where there is none', () => {
  const page = { rows: [payee], rowCount: 1, from: 0, first: null, previous: null, next: null, last: null, query: '' };
  const list = (data: object) => read(<RegularPayees />, [[regularPayeesQuery(firstPage).queryKey, data]]);
  const { html, text } = list(page);
  expect(text).toContain('Particuliers devenus réguliers');
  expect(html).toContain('?section=clients&amp;client=k');
  expect(text).toContain('C’est traité pour Camille Moreau');
  expect(list({ ...page, rows: [], rowCount: 0 }).text).not.toContain('Particuliers');
});

test('[AC-10] the line of « À faire » counts them and names those with the most contracts', () => {
  const line = (count: number, names: readonly string[]) =>
    read(<RegularPayeesLine regular={{ count, names }} openSection={() => undefined} />, []).text;
  expect(line(2, ['Camille Moreau', 'Zoé Roux'])).toContain(
    '2 particuliers devenus réguliers Camille Moreau, Zoé Roux',
  );
  expect(line(1, ['Camille Moreau'])).toContain('1 particulier devenu régulier');
});
