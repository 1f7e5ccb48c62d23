import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { Due, DuePart } from '#api/company/steering-figures';
import { i18n } from '../../../i18n.ts';
import { DueFigure } from './due.tsx';

const part = (id: DuePart['id'], amount: bigint, count: number | null = null): DuePart => ({ id, amount, count });

function read(due: Partial<Due>): { ways: string[]; text: string } {
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <DueFigure
          due={{ parts: [], adjusted: 0n, waived: 0n, repaid: 0n, forecast: { count: 0, amount: 0n }, ...due }}
          openSection={() => undefined}
        />
      </QueryClientProvider>
    </I18nextProvider>,
  );
  const plain = (text: string) => text.replaceAll(/<[^>]*>/gu, '').replaceAll(/[\u00A0\u202F]/gu, ' ');
  const list = /<ol[\s\S]*<\/ol>/u.exec(html)?.[0] ?? '';
  return {
    ways: [...list.matchAll(/<button[^>]*>(?<words>[^<]*)<\/button>/gu)].map(({ groups }) =>
      plain(groups?.['words'] ?? ''),
    ),
    text: plain(html),
  };
}

test('[UI-08] « Dû » is one amount, the sum of its parts, each of them a way to its rows; nothing is said of an empty part', () => {
  const { ways, text } = read({
    parts: [
      part('to_pay', 122_827n, 5),
      part('to_decide', 0n, 0),
      part('available', 2_735_050n),
      part('overpaid', -10_000n, 1),
    ],
  });
  expect(ways).toEqual([
    'Demandes approuvées, hors virements groupés (5)',
    'Disponible chez les clients, pas encore demandé',
    'Trop versé, à récupérer (1)',
  ]);
  expect(text).toContain('28 478,77 €');
  expect(text).toContain('−100,00 €');
  expect(text).not.toContain('Demandes à traiter');
  expect(text).not.toContain('90 jours');
});

test('[UI-08] what may come to it is said apart, and so is what no card counts of it', () => {
  const { text } = read({
    parts: [part('available', 100_000n)],
    adjusted: -2_500n,
    forecast: { count: 3, amount: 50_000n },
  });
  expect(text).toContain('1 500,00 € d’ici 90 jours si tous les contrats à valider le sont.');
  expect(text).toContain('Dont −25,00 € d’ajustements de comptes, que « Commissions en attente » ne compte pas.');
});

test('[AC-05] what was repaid, waived and adjusted is named, each with its sum: « Commissions en attente » counts none of it', () => {
  const note = (due: Partial<Due>) => read({ parts: [part('available', 100_000n)], ...due }).text;
  expect(note({ repaid: 6_000n, waived: 1_750n, adjusted: -2_500n })).toContain(
    'Dont 60,00 € de dettes remboursées, 17,50 € de dettes abandonnées et −25,00 € d’ajustements de comptes, que « Commissions en attente » ne compte pas.',
  );
  expect(note({ repaid: 6_000n })).toContain('Dont 60,00 € de dettes remboursées, que');
  expect(note({})).not.toContain('Dont');
});
