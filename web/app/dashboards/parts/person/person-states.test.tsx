import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { PersonState } from '#api/people/person';
import { i18n } from '../../../i18n.ts';
import { PersonStates, type PersonStatesProps } from './person-states.tsx';

const states: readonly PersonState[] = [
  { state: 'pending', count: 1, amount: 0n },
  { state: 'in_negotiation', count: 2, amount: 150_000n },
  { state: 'awaiting_final_validation', count: 1, amount: 50_000n },
  { state: 'validated', count: 3, amount: 900_000n },
];

/** The lines of the counters. */
const lines = (audience: PersonStatesProps['audience'], of = states) =>
  [
    ...renderToStaticMarkup(
      <I18nextProvider i18n={i18n}>
        <PersonStates states={of} audience={audience} />
      </I18nextProvider>,
    ).matchAll(/<li[^>]*>(?<line>.*?)<\/li>/gu),
  ].map(({ groups }) =>
    (groups?.['line'] ?? '')
      .replaceAll(/<[^>]*>/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .replaceAll(' ,', ',')
      .trim(),
  );

test('[S-05] the counters of a panel say to the admin the words of its list, and how far the open ones are', () => {
  expect(lines('admin')).toEqual([
    'En attente En négociation : 2 3 1 500,00 €',
    'En attente validation société 1 500,00 €',
    'Validé par admin 3 9 000,00 €',
  ]);
  expect(lines('admin', [{ state: 'contacted', count: 1, amount: 0n }])).toEqual(['En attente Contacté : 1 1 —']);
  expect(lines('admin', [{ state: 'pending', count: 4, amount: 0n }])).toEqual(['En attente 4 —']);
});

test('[S-01] the commercial has a line for each status', () => {
  expect(lines('commercial').map((line) => line.replace(/ \d.*/u, ''))).toEqual([
    'En attente',
    'En négociation',
    'En attente validation finale',
    'Contrat signé et validé',
  ]);
});
