import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { NoRequest, type NoRequestProps } from './no-request.tsx';

const said = (props: Omit<NoRequestProps, 'onToPay'>) =>
  renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <NoRequest {...props} onToPay={() => undefined} />
    </I18nextProvider>,
  )
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();

test('[S-09] after the last decision the empty list says which approved requests wait to be paid, and leads there', () => {
  expect(said({ status: 'pending', toPayCount: 2 })).toBe(
    'Aucune demande à traiter 2 demandes approuvées attendent d’être payées. Voir les demandes à payer',
  );
  expect(said({ status: 'pending', toPayCount: 1 })).toContain('1 demande approuvée attend d’être payée.');
});

test('[S-09] with nothing to pay, and in every other status, the list is plainly empty', () => {
  for (const toPayCount of [0, undefined])
    expect(said({ status: 'pending', toPayCount })).toBe(
      'Aucune demande de paiement Aucune demande n’attend votre décision.',
    );
  expect(said({ status: 'rejected', toPayCount: 2 })).toBe(
    'Aucune demande de paiement Aucune demande n’a été refusée.',
  );
});
