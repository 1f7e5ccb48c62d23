import { describe, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { parsePayload } from './parse-payload.ts';
import { paymentRequestForm, paymentRequestPayload } from './payment-request.ts';
import { accepted, refusals } from './testing.ts';

const form = paymentRequestForm(12_346n);
const details = { iban: 'fr76 3000 6000 0112 3456 7890 189', beneficiary_name: ' Ana Díaz ' };
const request = { amount: '100', payment_method: 'virement', payment_details: details };
const outOfRange = 'Le montant doit être compris entre 1€ et 123,46€';

describe('the amount', () => {
  test.each(['1', '1,00', '123,46', '100.5', 1, 123.46])('[V-14] %s is within the bounds', (amount) => {
    expect(refusals(form, { ...request, amount })).toEqual([]);
  });

  test.each(['0', '0,99', '123,47', '-5', '', ' ', null, undefined, '1e1', 'NaN', Number.NaN, 1e308, 99_999_999_999])(
    '[V-14] [V-17] %s is refused with both bounds',
    (amount) => {
      expect(refusals(form, { ...request, amount })).toEqual([`amount: ${outOfRange}`]);
    },
  );

  test.each(['0.001', '12,345', '1.234', '1 234,567', 1.234])(
    '[DF-13] %s has a decimal too many, and that is what is said',
    (amount) => {
      expect(refusals(form, { ...request, amount })).toEqual([
        'amount: Le montant doit être un nombre d’euros, avec deux décimales au plus',
      ]);
    },
  );

  test.each([[[]], [{}], [true], [['100']]])('[V-17] %j is no amount', (amount) => {
    expect(refusals(form, { ...request, amount }).some((refusal) => refusal.startsWith('amount: '))).toBe(true);
  });

  test('[V-14] the server answers with the same refusal', () => {
    expect(() => parsePayload(form, { ...request, amount: 200 })).toThrow(
      expect.objectContaining({
        code: 'amount_out_of_range',
        params: { available: '123.46', smallest: '1.00' },
        message: outOfRange,
      }),
    );
    expect(() => parsePayload(paymentRequestForm(0n), request)).toThrow(Failure);
  });
});

describe('the means of payment', () => {
  test('[UI-10] a transfer names an earlier request in place of an account; no other means does', () => {
    const earlier = '0b0e7a4a-6c8e-4d62-9a3f-1d2c3b4a5f60';
    const payment_details = { iban: '', beneficiary_name: 'Ana Díaz', same_as: earlier };
    const input = accepted(form, { ...request, payment_details });
    expect(input).toEqual({
      amount: 10_000n,
      details: { method: 'virement', sameAs: earlier, beneficiaryName: 'Ana Díaz' },
    });
    expect(paymentRequestPayload(input)).toMatchObject({
      payment_details: { same_as: earlier, beneficiary_name: 'Ana Díaz' },
    });
    // Empty, or beside an account that is typed, it is as if it were not there.
    for (const same_as of ['', earlier])
      expect(accepted(form, { ...request, payment_details: { ...details, same_as } })).toEqual(accepted(form, request));
    expect(refusals(form, { ...request, payment_details: { ...payment_details, same_as: 'hier' } })).toHaveLength(1);
    expect(refusals(form, { ...request, payment_details: { same_as: earlier } })).toEqual([
      'payment_details.beneficiary_name: Le nom du bénéficiaire est requis',
    ]);
    expect(
      refusals(form, { ...request, payment_method: 'cheque_cadeau', payment_details: { same_as: earlier } }),
    ).toEqual(['payment_details.gift_card_type: Le type de chèque cadeau est requis']);
  });

  test('[V-15] a means is required, and known', () => {
    for (const payment_method of [undefined, '', 'crypto', 'toString']) {
      expect(refusals(form, { ...request, payment_method })).toEqual([
        'payment_method: Le mode de paiement est requis',
      ]);
    }
  });

  test('[V-15] a transfer has a valid IBAN, normalised, and a beneficiary', () => {
    expect(accepted(form, request)).toEqual({
      amount: 10_000n,
      details: { method: 'virement', iban: 'FR7630006000011234567890189', beneficiaryName: 'Ana Díaz' },
    });
    expect(refusals(form, { ...request, payment_details: {} })).toEqual([
      'payment_details.iban: L’IBAN est requis',
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
  ])('[V-15] %j is no IBAN', (iban) => {
    const found = refusals(form, { ...request, payment_details: { ...details, iban } });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^payment_details\.iban: /);
  });

  test('[V-15] an IBAN of another country is accepted', () => {
    for (const iban of ['DE89370400440532013000', 'BE68 5390 0754 7034', 'NO93 8601 1117 947']) {
      expect(refusals(form, { ...request, payment_details: { ...details, iban } })).toEqual([]);
    }
  });

  test('[AC-09] outside the European Economic Area the BIC and the address are asked, and what no bank takes of them is refused', () => {
    const abroad = {
      bic: 'ubswchzh80a',
      street: '12 rue du Rhône',
      postal_code: '1204',
      city: 'Genève',
      country: 'CH',
    };
    for (const iban of ['CH93 0076 2011 6238 5295 7', 'GB29 NWBK 6016 1331 9268 19', 'MC5811222000010123456789030']) {
      const refused = (given: object) =>
        refusals(form, { ...request, payment_details: { ...details, iban, ...given } }).map((refusal) =>
          refusal.slice('payment_details.'.length, refusal.indexOf(':')),
        );
      expect(refused({})).toEqual(['bic', 'street', 'postal_code', 'city', 'country']);
      expect(refused({ ...abroad, bic: 'UBS', street: 'Невский', city: 'x'.repeat(36), country: 'Suisse' })).toEqual([
        'bic',
        'street',
        'city',
        'country',
      ]);
      expect(refused(abroad)).toEqual([]);
    }
    const payment_details = { ...details, iban: 'CH9300762011623852957', ...abroad };
    const input = accepted(form, { ...request, payment_details });
    expect(input.details).toMatchObject({
      abroad: { bic: 'UBSWCHZH80A', street: '12 rue du Rhône', postalCode: '1204', city: 'Genève', country: 'CH' },
    });
    expect(paymentRequestPayload(input).payment_details).toMatchObject({ ...abroad, bic: 'UBSWCHZH80A' });
    // Of an account within it nothing more is kept, whatever was typed before.
    expect(accepted(form, { ...request, payment_details: { ...details, ...abroad, bic: '?' } }).details).toEqual({
      method: 'virement',
      iban: 'FR7630006000011234567890189',
      beneficiaryName: 'Ana Díaz',
    });
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
        'payment_details.association_name: Le nom de l’association est requis',
        'payment_details.association_details: Les coordonnées de l’association sont requises',
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
  ])('[V-15] $method asks for its details', ({ method, missing, given, details: expected }) => {
    expect(refusals(form, { amount: 10, payment_method: method })).toEqual(missing);
    expect(accepted(form, { amount: 10, payment_method: method, payment_details: given })).toEqual({
      amount: 1_000n,
      details: expected,
    });
  });

  test('[V-15] the company account is optional', () => {
    expect(accepted(form, { amount: 10, payment_method: 'remise_societe' }).details).toEqual({
      method: 'remise_societe',
      companyAccount: null,
    });
  });

  test('[V-15] everything wrong is said at once', () => {
    expect(refusals(form, { amount: 0, payment_method: 'virement', payment_details: { iban: 'x' } })).toEqual([
      `amount: ${outOfRange}`,
      'payment_details.iban: L’IBAN n’est pas valide. Exemple : FR76 3000 6000 0112 3456 7890 189',
      'payment_details.beneficiary_name: Le nom du bénéficiaire est requis',
    ]);
    for (const payment_details of ['x', 12, []]) {
      expect(refusals(form, { ...request, payment_details })[0]).toMatch(/^payment_details: /);
    }
  });

  test('[D-09] the wire’s form reads back the same', () => {
    const input = accepted(form, request);
    const payload = paymentRequestPayload(input);
    expect(payload).toEqual({
      action: 'create',
      amount: '100.00',
      payment_method: 'virement',
      payment_details: { iban: 'FR7630006000011234567890189', beneficiary_name: 'Ana Díaz' },
    });
    expect(parsePayload(form, payload)).toEqual(input);
  });
});
