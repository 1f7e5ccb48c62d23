import { describe, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { parsePayload } from './parse-payload.ts';
import { paymentRequestForm, paymentRequestPayload } from './payment-request.ts';
import { accepted, refusals } from './testing.ts';

const form = paymentRequestForm(12_346n);
const details = { iban: 'fr76 3000 6000 0112 3456 7890 189', beneficiary_name: ' Ana Díaz ' };
const request = { amount: '100', payment_method: 'virement', payment_details: details };
const outOfRange = 'Le montant doit être compris entre 1€ et 123,46€';

describe('le montant', () => {
  test.each(['1', '1,00', '123,46', '100.5', 1, 123.46])('[V-14] %s est entre les bornes', (amount) => {
    expect(refusals(form, { ...request, amount })).toEqual([]);
  });

  test.each([
    '0',
    '0,99',
    '123,47',
    '-5',
    '',
    ' ',
    null,
    undefined,
    '0.001',
    '12,345',
    '1e1',
    'NaN',
    Number.NaN,
    1e308,
    99_999_999_999,
  ])('[V-14] [V-17] %s est refusé avec les deux bornes', (amount) => {
    expect(refusals(form, { ...request, amount })).toEqual([`amount: ${outOfRange}`]);
  });

  test.each([[[]], [{}], [true], [['100']]])('[V-17] %j n’est pas un montant', (amount) => {
    expect(refusals(form, { ...request, amount }).some((refusal) => refusal.startsWith('amount: '))).toBe(true);
  });

  test('[V-14] le serveur répond par le même refus', () => {
    expect(() => parsePayload(form, { ...request, amount: 200 })).toThrow(
      expect.objectContaining({ code: 'amount_out_of_range', params: { available: '123.46' }, message: outOfRange }),
    );
    expect(() => parsePayload(paymentRequestForm(0n), request)).toThrow(Failure);
  });
});

describe('le mode de paiement', () => {
  test('[V-15] un mode est requis, et connu', () => {
    for (const payment_method of [undefined, '', 'crypto', 'toString']) {
      expect(refusals(form, { ...request, payment_method })).toEqual([
        'payment_method: Le mode de paiement est requis',
      ]);
    }
  });

  test('[V-15] un virement a un IBAN valide, normalisé, et un bénéficiaire', () => {
    expect(accepted(form, request)).toEqual({
      amount: 10_000n,
      details: { method: 'virement', iban: 'FR7630006000011234567890189', beneficiaryName: 'Ana Díaz' },
    });
    expect(refusals(form, { ...request, payment_details: {} })).toEqual([
      "payment_details.iban: L'IBAN est requis",
      'payment_details.beneficiary_name: Le nom du bénéficiaire est requis',
    ]);
  });

  test.each([
    'FR7630006000011234567890188',
    'FR763000600001123456789018',
    'XX7630006000011234567890189',
    'FR76',
    '12345',
    'FR7630006000011234567890189\u0000',
    'DE89370400440532013001',
  ])('[V-15] %j n’est pas un IBAN', (iban) => {
    const found = refusals(form, { ...request, payment_details: { ...details, iban } });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^payment_details\.iban: /);
  });

  test('[V-15] un IBAN d’un autre pays est accepté', () => {
    for (const iban of ['DE89370400440532013000', 'BE68 5390 0754 7034', 'GB29 NWBK 6016 1331 9268 19']) {
      expect(refusals(form, { ...request, payment_details: { ...details, iban } })).toEqual([]);
    }
  });

  test.each([
    {
      method: 'cheque_cadeau',
      missing: ['payment_details.gift_card_type: Le type de chèque cadeau est requis'],
      given: { gift_card_type: 'Livres' },
      details: { method: 'cheque_cadeau', giftCardType: 'Livres' },
    },
    {
      method: 'association',
      missing: [
        "payment_details.association_name: Le nom de l'association est requis",
        "payment_details.association_details: Les coordonnées de l'association sont requises",
      ],
      given: { association_name: 'Les Restos', association_details: 'Paris\nFrance' },
      details: { method: 'association', associationName: 'Les Restos', associationDetails: 'Paris\nFrance' },
    },
    {
      method: 'remise_societe',
      missing: [],
      given: { company_account: 'C12' },
      details: { method: 'remise_societe', companyAccount: 'C12' },
    },
  ])('[V-15] $method demande ses coordonnées', ({ method, missing, given, details: expected }) => {
    expect(refusals(form, { amount: 10, payment_method: method })).toEqual(missing);
    expect(accepted(form, { amount: 10, payment_method: method, payment_details: given })).toEqual({
      amount: 1_000n,
      details: expected,
    });
  });

  test('[V-15] le compte société est facultatif', () => {
    expect(accepted(form, { amount: 10, payment_method: 'remise_societe' }).details).toEqual({
      method: 'remise_societe',
      companyAccount: null,
    });
  });

  test('[V-15] tout ce qui ne va pas est dit à la fois', () => {
    expect(refusals(form, { amount: 0, payment_method: 'virement', payment_details: { iban: 'x' } })).toEqual([
      `amount: ${outOfRange}`,
      "payment_details.iban: L'IBAN n'est pas valide",
      'payment_details.beneficiary_name: Le nom du bénéficiaire est requis',
    ]);
    for (const payment_details of ['x', 12, []]) {
      expect(refusals(form, { ...request, payment_details })[0]).toMatch(/^payment_details: /);
    }
  });

  test('[D-09] ce qui part sur le fil s’y relit', () => {
    const input = accepted(form, request);
    const payload = paymentRequestPayload(input);
    expect(payload).toEqual({
      action: 'create',
      amount: 100,
      payment_method: 'virement',
      payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Ana Díaz' },
    });
    expect(parsePayload(form, payload)).toEqual(input);
  });
});
