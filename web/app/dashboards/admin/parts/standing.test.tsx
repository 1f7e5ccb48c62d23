import { standingFromWire } from '@parrain/domain/standing';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { SetAside, StandingNotice, StandingReasons } from './standing.tsx';

const standing = standingFromWire([
  { code: 'closed' },
  { code: 'debt' },
  { code: 'incomplete' },
  { code: 'case', case_id: 'c', case_status: 'open', is_held: false },
  { code: 'batch', batch_id: 'b', batch_number: 2 },
  { code: 'iban', from: '2026-11-25T11:43:00Z' },
  { code: 'shared_iban', names: 'Léa Martin' },
  { code: 'vat' },
]);

/** The addresses that a part leads to, and its text. */
function read(part: ReactNode): { ways: string[]; text: string } {
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <MemoryRouter>{part}</MemoryRouter>
      </QueryClientProvider>
    </I18nextProvider>,
  );
  return {
    ways: [...html.matchAll(/<a [^>]*href="(?<to>[^"]*)"[^>]*>(?<words>[^<]*)/gu)].map(
      ({ groups }) => `${groups?.['words']} ${groups?.['to']?.replaceAll('&amp;', '&')}`,
    ),
    text: html.replaceAll(/<[^>]*>/gu, ''),
  };
}

const ways = [
  'Voir sa fiche /?section=clients&client=k',
  'Voir sa fiche /?section=clients&client=k',
  'Voir sa fiche /?section=clients&client=k',
  'Voir les raisons /?section=cas-douteux&cas=c',
  'Voir le virement /?section=virements&virement=b',
];

test('[UI-01] what stands against a decision leads to where it is settled, in its dialog and where many are decided', () => {
  const before = read(<StandingNotice standing={standing} decision="paid" clientId="k" />);
  expect(before.ways).toEqual(ways);
  expect(before.text).toMatch(/^Ce qui l’empêche/u);
  const aside = read(
    <SetAside
      title="Laissées de côté : 1 sur 3"
      rows={[{ id: 'r', name: 'Sophie Marchand' }]}
      name={({ name }) => name}
      reasons={() => <StandingReasons standing={standing} clientId="k" />}
    />,
  );
  expect(aside.ways).toEqual(ways);
  expect(aside.text).toMatch(/^Laissées de côté : 1 sur 3Sophie Marchand : Son compte est fermé\. Voir sa fiche Une/u);
});

test('[UI-01] of a contract there is no client to look at: the doubt alone has its way', () => {
  expect(read(<StandingReasons standing={standing} />).ways).toEqual(ways.slice(3));
});

test('[UI-01] where nothing stands against it nothing is said', () => {
  expect(read(<StandingNotice standing={[]} decision="approved" />).text).toBe('');
  expect(read(<SetAside title="…" rows={[]} name={() => ''} reasons={() => ''} />).text).toBe('');
});
