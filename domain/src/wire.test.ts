import { describe, expect, test } from 'vitest';
import {
  balanceRow,
  balanceToDomain,
  commissionPaymentRow,
  commissionPaymentToDomain,
  commissionRateRow,
  commissionRateToDomain,
  commissionSideToWire,
  companySettingsRow,
  companySettingsToDomain,
  paymentDetailsToDomain,
  paymentDetailsToWire,
  paymentRequestRow,
  paymentRequestToDomain,
  profileRow,
  profileToDomain,
  saleRow,
  saleToDomain,
} from './wire.ts';

const at = '2026-11-21T03:33:00.123456+00:00';

const wireSale = {
  id: 's',
  created_at: at,
  status: 'validated',
  referred_contact_name: 'Ana',
  referred_contact_email: null,
  referred_contact_phone: null,
  personal_message: null,
  contract_amount: 1234.56,
  contract_description: 'Contrat',
  commercial_notes: null,
  commercial_id: 'c',
  client_referrer_id: null,
  friend_referrer_id: 'f',
  commission_rate: 'r',
  ready_for_validation: true,
  admin_validated: true,
  rejection_reason: null,
  validated_at: at,
  validated_by: 'a',
  client_commission_amount: 123.46,
  commercial_commission_amount: '50.00',
  client_commission_type: 'percentage',
  client_commission_rate: 10,
  commercial_commission_type: 'fixed',
  commercial_commission_rate: 50,
  corrects_sale_id: null,
  correction_reason: null,
  version: 4,
  is_test: false,
};

describe('from the wire’s rows to the domain’s words', () => {
  test('[D-02] [M-10] a sale, its amounts in cents and its frozen scale', () => {
    expect(saleToDomain(saleRow.parse(wireSale))).toMatchObject({
      id: 's',
      contractAmount: 123_456n,
      clientCommissionAmount: 12_346n,
      commercialCommissionAmount: 5_000n,
      commissionRateId: 'r',
      scale: { client: { type: 'percentage', basisPoints: 1_000n }, commercial: { type: 'fixed', amount: 5_000n } },
      friendReferrerName: null,
      version: 4,
    });
  });

  test('[RE-05] a sale with the people and the scale joined', () => {
    const joined = {
      ...wireSale,
      commission_rate: { id: 'r', name: 'Standard' },
      commercial: { full_name: 'Léa' },
      client_referrer: null,
      friend_referrer: { full_name: 'Luc', email: 'luc@exemple.fr' },
    };
    expect(saleToDomain(saleRow.parse(joined))).toMatchObject({
      commissionRateId: 'r',
      commercialName: 'Léa',
      clientReferrerName: null,
      friendReferrerName: 'Luc',
    });
  });

  test('[RE-12] the commercial’s list carries the referrer’s name', () => {
    expect(saleToDomain(saleRow.parse({ ...wireSale, client_name: 'Luc' })).clientReferrerName).toBe('Luc');
  });

  test('[S-12] a sale whose scale is not chosen yet has none', () => {
    const fresh = {
      ...wireSale,
      status: 'pending',
      contract_amount: null,
      commission_rate: null,
      client_commission_amount: null,
      commercial_commission_amount: null,
      client_commission_type: null,
      client_commission_rate: null,
      commercial_commission_type: null,
      commercial_commission_rate: null,
    };
    expect(saleToDomain(saleRow.parse(fresh))).toMatchObject({
      scale: null,
      contractAmount: null,
      commissionRateId: null,
    });
  });

  test('[M-10] an unreadable amount is a fault, never a zero', () => {
    expect(() => saleToDomain(saleRow.parse({ ...wireSale, contract_amount: '12,5' }))).toThrow('Not an amount');
    expect(saleRow.safeParse({ ...wireSale, status: 'autre' }).success).toBe(false);
  });

  test('[D-01] a person', () => {
    const row = {
      id: 'p',
      full_name: 'Ana',
      email: 'ana@exemple.fr',
      phone: null,
      role: 'client',
      created_at: at,
      company: null,
      notes: null,
      commercial_id: 'c',
    };
    expect(profileToDomain(profileRow.parse(row))).toEqual({
      id: 'p',
      fullName: 'Ana',
      email: 'ana@exemple.fr',
      phone: null,
      role: 'client',
      company: null,
      notes: null,
      commercialId: 'c',
      deactivatedAt: null,
      isTest: false,
      createdAt: at,
    });
  });

  test('[D-03] a scale, and the way back of its two numbers', () => {
    const row = {
      id: 'r',
      name: 'Standard',
      description: null,
      client_commission_type: 'percentage',
      client_commission_amount: 12.5,
      commercial_commission_type: 'fixed',
      commercial_commission_amount: '50.00',
      created_at: at,
      is_default: true,
      archived_at: null,
    };
    const { scale, isDefault } = commissionRateToDomain(commissionRateRow.parse(row));
    expect(isDefault).toBe(true);
    expect(commissionSideToWire(scale.client)).toEqual({ type: 'percentage', amount: '12.5' });
    expect(commissionSideToWire(scale.commercial)).toEqual({ type: 'fixed', amount: '50.00' });
  });

  test('[D-04] a paid commission; a correction is negative', () => {
    const row = {
      id: 'x',
      sale_id: 's',
      recipient_id: 'f',
      type: 'client',
      amount: -123.46,
      status: 'paid',
      created_at: at,
      paid_at: at,
      sale: { referred_contact_name: 'Ana' },
    };
    expect(commissionPaymentToDomain(commissionPaymentRow.parse(row))).toMatchObject({
      amount: -12_346n,
      recipientName: null,
      saleContactName: 'Ana',
    });
  });

  test('[D-05] a payment request, with its client', () => {
    const row = {
      id: 'd',
      client_id: 'f',
      amount: 100,
      payment_method: 'virement',
      payment_details: { iban: 'FR76 •••• 0189', beneficiary_name: 'Luc' },
      status: 'pending',
      admin_notes: null,
      rejection_reason: null,
      approval_annulled_reason: null,
      version: 1,
      created_at: at,
      approved_at: null,
      paid_at: null,
      returned_at: null,
      return_reason: null,
      client: { full_name: 'Luc', email: 'luc@exemple.fr', phone: null },
    };
    expect(paymentRequestToDomain(paymentRequestRow.parse(row))).toMatchObject({
      amount: 10_000n,
      paymentDetails: { method: 'virement', iban: 'FR76 •••• 0189', beneficiaryName: 'Luc' },
      client: { fullName: 'Luc', email: 'luc@exemple.fr', phone: null },
    });
  });

  test('[D-06] the company’s settings, and the balance', () => {
    expect(companySettingsToDomain(companySettingsRow.parse({ company_name: 'Parrain SA', logo_url: null }))).toEqual({
      companyName: 'Parrain SA',
      logoUrl: null,
    });
    const row = { profile_id: 'f', earned: 123.46, reversed: 0, held: 10, reserved: '100.00', paid: 0 };
    expect(balanceToDomain(balanceRow.parse(row))).toEqual({
      earned: 12_346n,
      reversed: 0n,
      held: 1_000n,
      reserved: 10_000n,
      paid: 0n,
    });
  });
});

describe('payment details', () => {
  test.each([
    { method: 'virement', details: { iban: 'FR76', beneficiary_name: 'Luc' } },
    { method: 'cheque_cadeau', details: { gift_card_type: 'Livres' } },
    { method: 'association', details: { association_name: 'Les Restos', association_details: 'Paris' } },
    { method: 'remise_societe', details: { company_account: 'C12' } },
    { method: 'remise_societe', details: { company_account: null } },
  ])('[D-09] $method keeps the fields of the specification', ({ method, details }) => {
    expect(paymentDetailsToWire(paymentDetailsToDomain(method, details))).toEqual(details);
  });

  test('[D-10] an unknown means reads as a company discount', () => {
    expect(paymentDetailsToDomain('crypto', { wallet: 'x' })).toEqual({
      method: 'remise_societe',
      companyAccount: null,
    });
  });
});
