import { dayOf } from '@parrain/domain/date';
import { fromWire, toWire } from '@parrain/domain/money';
import { percentToWire } from '@parrain/domain/percent';
import { specimens } from '@parrain/domain/specimen';
import type { SpecimenName } from '@parrain/domain/specimen';
import { statementPeriods } from '@parrain/domain/statement';
import { vatOf, vatRateOn } from '@parrain/domain/vat';

import type { ContractLine, Paper, Party, PaymentPaper, QuarterLine, QuarterPaper } from './paper.ts';

/** Numbers that nobody has: they pass their checks, and no register knows them. */
const SIREN = '000000000';
const BUSINESS = { siren: SIREN, siret: `${SIREN}00000` };
const VAT_NUMBER = `FR12${SIREN}`;
const PERSON = {
  legal_name: 'Camille Martin',
  name: 'Camille Martin',
  street: '8 rue des Lilas',
  postal_code: '35000',
  city: 'Rennes',
};

type Payee = PaymentPaper['content']['payee'];

const payees: Readonly<Record<(typeof specimens)[SpecimenName]['status'], Payee>> = {
  particulier: { ...PERSON, status: 'particulier' },
  micro: { ...PERSON, ...BUSINESS, status: 'micro' },
  societe: {
    ...PERSON,
    ...BUSINESS,
    status: 'societe',
    legal_name: 'Martin Conseil',
    legal_form: 'SARL',
    capital: '10000.00',
    registry_city: 'Rennes',
    vat_number: VAT_NUMBER,
  },
  agent: { ...PERSON, ...BUSINESS, status: 'agent', registry_city: 'Rennes', vat_number: VAT_NUMBER },
  association: { ...PERSON, status: 'association', legal_name: 'Les Amis du Jardin', rna: 'W351000000' },
};

/** The company where it has not said yet who it is. */
export function unknownCompany(name: string): Party {
  return {
    ...BUSINESS,
    legal_name: name,
    street: '1 place de la Mairie',
    postal_code: '75001',
    city: 'Paris',
    vat_number: VAT_NUMBER,
  };
}

/** A paper of nobody's, as it would be made at `now` for a payee of its status (AC-07); nothing of it is stored. */
export function specimenPaper(name: SpecimenName, company: Party, now: Date): Paper {
  return specimens[name].kind === 'quarter' ? quarterSpecimen(company, now) : paymentSpecimen(name, company, now);
}

function paymentSpecimen(name: SpecimenName, company: Party, now: Date): PaymentPaper {
  const { kind, status } = specimens[name];
  const payee = payees[status];
  const isTakingBack = kind === 'credit' || kind === 'annulment';
  const isInvoice = kind === 'invoice' || kind === 'credit';
  const [today, at] = [dayOf(now), now.toISOString()];
  const rate = isInvoice && payee.vat_number ? vatRateOn(today) : null;
  const base = '250.00';
  const vat = rate === null ? null : vatOf(fromWire(base), rate);
  const lines: readonly ContractLine[] = [
    { contract: '1A2B3C4D', on: dayOf(daysBefore(now, 40)), amount: '150.00' },
    { contract: '5E6F7A8B', on: dayOf(daysBefore(now, 12)), amount: '100.00', of: '180.00' },
  ];
  const [series, seriesBack] = isInvoice ? [`F${SIREN}`, `A${SIREN}`] : ['R', 'AR'];
  const labelOf = (letters: string): string => `${letters}-${today.slice(0, 4)}-0000`;
  return {
    id: name,
    is_test: true,
    series: `T${isTakingBack ? seriesBack : series}`,
    label: labelOf(isTakingBack ? seriesBack : series),
    issued_on: today,
    quarter: null,
    amount: vat === null ? base : toWire(fromWire(base) + vat.amount),
    request_id: '00000000-0000-0000-0000-000000000000',
    content: {
      company,
      payee,
      lines,
      paid_at: isTakingBack ? daysBefore(now, 5).toISOString() : at,
      contest_until: dayOf(daysBefore(now, -15)),
      mandate: isInvoice ? { version: '', accepted_at: daysBefore(now, 90).toISOString() } : null,
      ...(vat && { vat: { base, rate: percentToWire(vat.rate), amount: toWire(vat.amount) } }),
      method: 'virement',
      reference: null,
      association: null,
      asked_at: daysBefore(now, 10).toISOString(),
      returned_at: isTakingBack ? at : null,
      receipt: isTakingBack ? labelOf(series) : null,
      receipt_on: isTakingBack ? dayOf(daysBefore(now, 5)) : null,
    },
  };
}

/** The quarter before this one: two commissions, and a month that was paid. */
function quarterSpecimen(company: Party, now: Date): QuarterPaper {
  const { fromDay = dayOf(now) } = statementPeriods('trimestre', daysBefore(now, 100), now)[1] ?? {};
  const line = (act: string, day: string, amount: string, of: Partial<QuarterLine> = {}): QuarterLine => ({
    at: `${fromDay.slice(0, 8)}${day}T10:00:00Z`,
    act,
    amount,
    contract: null,
    contract_amount: null,
    contract_left: null,
    type: null,
    rate: null,
    ...of,
  });
  return {
    id: 'releve-trimestriel',
    is_test: true,
    series: 'TRT',
    label: `RT-${fromDay.slice(0, 4)}-0000`,
    issued_on: dayOf(now),
    quarter: fromDay,
    request_id: null,
    amount: '490.00',
    content: {
      company,
      payee: payees.agent,
      opening: '120.00',
      closing: '370.00',
      contest_until: dayOf(daysBefore(now, -15)),
      lines: [
        line('validation', '04', '430.00', {
          contract: '1A2B3C4D',
          contract_amount: '4300.00',
          type: 'percentage',
          rate: '10.00',
        }),
        line('validation', '18', '60.00', {
          contract: '5E6F7A8B',
          contract_amount: '1250.00',
          type: 'fixed',
          rate: '60.00',
        }),
        line('payroll', '28', '-240.00'),
      ],
    },
  };
}

function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * 86_400_000);
}
