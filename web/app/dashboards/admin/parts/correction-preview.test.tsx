import type { Balance } from '@parrain/domain/balance';
import type { Sale } from '@parrain/domain/sale';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { readAmount } from './correct-dialog.tsx';
import { CorrectionPreview } from './correction-preview.tsx';

const sale: Sale = {
  id: 's',
  status: 'validated',
  readyForValidation: true,
  adminValidated: true,
  correctsSaleId: null,
  createdAt: '2026-11-20T09:00:00Z',
  referredContactName: 'Léa Martin',
  referredContactEmail: null,
  referredContactPhone: null,
  personalMessage: null,
  contractAmount: 100_000n,
  contractDescription: 'Contrat annuel',
  commercialNotes: null,
  commercialId: 'c',
  clientReferrerId: null,
  friendReferrerId: 'f',
  commissionRateId: 'r',
  scale: { client: { type: 'percentage', basisPoints: 1000n }, commercial: { type: 'fixed', amount: 5000n } },
  rejectionReason: null,
  validatedAt: '2026-11-21T09:00:00Z',
  validatedBy: 'a',
  clientCommissionAmount: 10_000n,
  commercialCommissionAmount: 5000n,
  correctionReason: null,
  version: 2,
  isTest: false,
  commercialName: 'Jean Dupont',
  clientReferrerName: null,
  friendReferrerName: 'Sophie Marchand',
};
const nothing: Balance = { earned: 0n, reversed: 0n, held: 0n, reserved: 0n, paid: 0n };

/** The rows of the table, cell by cell, and what is said under it. */
function read(after: bigint | undefined, client: Balance, { kept = 0n, of = sale } = {}) {
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <CorrectionPreview
        sale={of}
        terms={{}}
        before={100_000n}
        after={after}
        basis={{
          ...(of.friendReferrerId === null ? {} : { client: { balance: client, kept } }),
          commercial: { balance: { ...nothing, earned: 5000n }, kept: 0n },
        }}
      />
    </I18nextProvider>,
  );
  const text = (part: string) =>
    part
      .replaceAll(/<[^>]*>/gu, ' ')
      .replaceAll(/\s+/gu, ' ')
      .replaceAll(/ (?=,)|(?<=[−+]) /gu, '')
      .trim();
  return {
    rows: [...html.matchAll(/<tr[^>]*>(?<cells>.*?)<\/tr>/gu)]
      .slice(1)
      .map(({ groups }) => text(groups?.['cells'] ?? '')),
    said: text(html.slice(html.indexOf('</table>'))),
  };
}

test('[UI-11] a reduction shows the contract, both commissions and what is available, before and after', () => {
  expect(read(75_000n, { ...nothing, earned: 30_000n, paid: 5000n })).toEqual({
    rows: [
      'Contrat 1 000,00 € 750,00 € −250,00 €',
      'Commission client Sophie Marchand 10 % de 750,00 € = 75,00 € 100,00 € 75,00 € −25,00 €',
      'Commission commercial Jean Dupont Montant fixe : 50,00 € 50,00 € 50,00 €',
      'Disponible Sophie Marchand Déjà payé : 50,00 € 250,00 € 225,00 € −25,00 €',
    ],
    said: '',
  });
});

test('[UI-11] what was paid already becomes a debt, in figures and in words', () => {
  expect(read(25_000n, { ...nothing, earned: 10_000n, paid: 10_000n })).toMatchObject({
    rows: [
      expect.any(String),
      expect.any(String),
      expect.any(String),
      'Dette Sophie Marchand Déjà payé : 100,00 € 0,00 € 75,00 € +75,00 €',
    ],
    said: 'Sophie Marchand a déjà reçu 100,00 € en tout : 75,00 € deviennent une dette, que ses prochaines commissions remboursent.',
  });
});

test('[UI-11] an increase is kept with what is kept; else it is available', () => {
  const held = { ...nothing, earned: 10_000n, held: 10_000n };
  expect(read(120_000n, held, { kept: 10_000n }).rows.at(-1)).toBe(
    'À venir Sophie Marchand 100,00 € 120,00 € +20,00 €',
  );
  expect(read(120_000n, { ...nothing, earned: 10_000n }).rows.at(-1)).toBe(
    'Disponible Sophie Marchand 100,00 € 120,00 € +20,00 €',
  );
});

test('[UI-11] requests under way that what is left does not cover are said', () => {
  expect(read(50_000n, { ...nothing, earned: 10_000n, reserved: 8000n }).said).toBe(
    'Sophie Marchand a demandé 80,00 € : plus que ce qui lui reste dû.',
  );
});

test('[UI-11] without an amount what there is stands alone; of a contract that nobody referred there is no client', () => {
  expect(read(undefined, nothing).rows).toEqual([
    'Contrat 1 000,00 € —',
    'Commission client Sophie Marchand 10 % de 1 000,00 € = 100,00 € 100,00 € —',
    'Commission commercial Jean Dupont Montant fixe : 50,00 € 50,00 € —',
  ]);
  const alone = { ...sale, friendReferrerId: null, friendReferrerName: null };
  expect(read(50_000n, nothing, { of: alone }).rows).toHaveLength(2);
});

test('[UI-11] the new amount is above zero and another one than there is', () => {
  expect(readAmount('1 200,50', 100_000n)).toEqual({ after: 120_050n, fault: undefined });
  for (const typed of ['0', '1000', '1000,00']) expect(readAmount(typed, 100_000n).fault).toMatch(/différent de 1/u);
  for (const typed of ['', 'abc', '10,005', '10000000']) expect(readAmount(typed, 100_000n).after).toBeUndefined();
});
