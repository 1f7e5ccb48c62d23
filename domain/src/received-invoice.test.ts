import { expect, test } from 'vitest';
import { matchReceived, receivedToDomain, receivedToWire } from './received-invoice.ts';
import type { MatchFacts, PossibleSeller, ReceivedInvoice } from './received-invoice.ts';

const OURS = '732829320';
const bois: PossibleSeller = {
  id: 'bois',
  siren: '552100554',
  vatNumber: 'FR96552100554',
  hasIban: false,
  isOffered: true,
  chargesVat: true,
  from: '2026-03-02',
  isNumberTaken: false,
  of: 'request',
  dues: [
    { id: 'r1', amount: 75_003n },
    { id: 'r2', amount: 10_000n },
  ],
};
const whole: ReceivedInvoice = {
  number: 'FA-2026-7',
  day: '2026-11-23',
  type: '380',
  currency: 'EUR',
  amount: 75_003n,
  vat: 15_001n,
  total: 90_004n,
  due: 90_004n,
  sellerName: 'Bois SARL',
  sellerSiren: '552100554',
  sellerVat: 'FR96552100554',
  buyerSiren: OURS,
  buyerVat: 'FR44732829320',
};
const facts = (sellers: readonly PossibleSeller[]): MatchFacts => ({
  companySiren: OURS,
  today: '2026-11-30',
  sellers,
});
const found = (changes: Partial<ReceivedInvoice> = {}, sellers: readonly PossibleSeller[] = [bois]) => {
  const { payeeId, due, reason } = matchReceived(
    { ...whole, due: changes.total ?? whole.due, ...changes },
    facts(sellers),
  );
  return reason === null ? due.id : `${reason}${payeeId === null ? '' : ` ${payeeId}`}`;
};

test('[EI-02] an invoice is of the one open request of its seller that has its day and its amounts, to the cent', () => {
  expect(matchReceived(whole, facts([bois]))).toEqual({
    payeeId: 'bois',
    due: { of: 'request', id: 'r1' },
    reason: null,
  });
  expect(found({ due: null, buyerSiren: null, buyerVat: null })).toBe('r1');
  expect(found({ amount: 75_004n, total: 90_005n })).toBe('no_request bois');
  expect(found({ vat: 15_000n, total: 90_003n })).toBe('other_vat bois');
  expect(found({ vat: null, total: 75_003n })).toBe('other_vat bois');
  // Who charges no VAT writes none.
  const untaxed = { ...bois, chargesVat: false, vatNumber: null };
  expect(found({ vat: null, total: 75_003n, due: 75_003n, sellerVat: null }, [untaxed])).toBe('r1');
  expect(found({ sellerVat: null }, [untaxed])).toBe('other_vat bois');
  for (const day of ['2026-12-01', '2026-03-01']) expect(found({ day })).toBe('other_day bois');
  expect(found({ day: '2026-03-02' })).toBe('r1');
  expect(found({}, [{ ...bois, dues: [...bois.dues, { id: 'r3', amount: 75_003n }] }])).toBe('several_requests bois');
});

test('[EI-02] [AC-04] an invoice of a commercial is of the month that is due, by the same day and amounts', () => {
  const agent: PossibleSeller = { ...bois, id: 'agent', of: 'month', dues: [{ id: '2026-10-01', amount: 75_003n }] };
  expect(matchReceived(whole, facts([agent]))).toEqual({
    payeeId: 'agent',
    due: { of: 'month', id: '2026-10-01' },
    reason: null,
  });
  expect(found({ amount: 75_004n, total: 90_005n }, [agent])).toBe('no_month agent');
  expect(found({}, [{ ...agent, dues: [] }])).toBe('no_month agent');
  expect(found({ vat: null, total: 75_003n }, [agent])).toBe('other_vat agent');
  expect(found({ day: '2026-12-01' }, [agent])).toBe('other_day agent');
  expect(found({}, [{ ...agent, isOffered: false }])).toBe('not_offered agent');
  expect(found({}, [{ ...agent, isNumberTaken: true }])).toBe('number_taken agent');
});

test('[EI-02] a seller is who their SIREN and VAT number say, by the IBAN alone where they say nothing; a contradiction is nobody', () => {
  const roof: PossibleSeller = { ...bois, id: 'roof', siren: '443061841', vatNumber: null };
  expect(found({ sellerVat: null })).toBe('r1');
  expect(found({ sellerSiren: null })).toBe('r1');
  expect(found({ sellerSiren: null, sellerVat: null }, [{ ...bois, hasIban: true }])).toBe('r1');
  expect(found({ sellerSiren: null, sellerVat: null })).toBe('unknown_seller');
  expect(found({}, [])).toBe('unknown_seller');
  expect(found({ sellerSiren: '443061841' }, [bois, roof])).toBe('seller_conflict');
  // An IBAN of somebody else's, and a VAT number that is not the one they declared.
  expect(found({}, [bois, { ...roof, hasIban: true }])).toBe('seller_conflict');
  expect(found({}, [{ ...roof, hasIban: true }])).toBe('seller_conflict');
  expect(found({}, [{ ...bois, vatNumber: 'FR00552100554' }])).toBe('seller_conflict');
  // Two accounts of one company: the IBAN tells them apart.
  const twin = { ...bois, id: 'twin', dues: [{ id: 't1', amount: 75_003n }] };
  expect(found({}, [bois, twin])).toBe('several_sellers');
  expect(found({}, [bois, { ...twin, hasIban: true }])).toBe('t1');
  expect(
    found({ sellerSiren: null, sellerVat: null }, [
      { ...bois, hasIban: true },
      { ...twin, hasIban: true },
    ]),
  ).toBe('several_sellers');
});

test('[EI-02] a credit note is never matched, nor what is for somebody else, paid already, or in another money', () => {
  for (const type of ['381', '261', '396']) expect(found({ type })).toBe('credit_note bois');
  for (const type of ['389', '384', null]) expect(found({ type })).toBe('other_type bois');
  expect(found({ currency: 'USD' })).toBe('foreign_currency bois');
  expect(found({ buyerSiren: '443061841', buyerVat: null })).toBe('not_for_us bois');
  expect(found({ buyerSiren: null, buyerVat: 'FR64443061841' })).toBe('not_for_us bois');
  expect(matchReceived(whole, { ...facts([bois]), companySiren: null }).reason).toBe('not_for_us');
  expect(found({ due: 0n })).toBe('already_paid bois');
  expect(found({ total: 90_005n })).toBe('wrong_sum bois');
  for (const missing of [
    { number: null },
    { day: null },
    { amount: null },
    { total: null },
    { number: 'F'.repeat(41) },
  ])
    expect(found(missing)).toBe('incomplete bois');
  expect(found({ amount: -75_003n, vat: -15_001n, total: -90_004n, due: null })).toBe('incomplete bois');
  expect(matchReceived(null, facts([bois]))).toEqual({ payeeId: null, due: null, reason: 'unreadable' });
});

test('[EI-02] who has a mandate, or an invoice of this number, waits for an admin', () => {
  expect(found({}, [{ ...bois, isOffered: false }])).toBe('not_offered bois');
  expect(found({}, [{ ...bois, isNumberTaken: true }])).toBe('number_taken bois');
  expect(found({}, [{ ...bois, from: null }])).toBe('other_day bois');
});

test('[EI-02] what was read is the same after it was kept', () => {
  expect(receivedToDomain(receivedToWire(whole))).toEqual(whole);
  expect(receivedToWire(whole)).toMatchObject({ amount: '750.03', due: '900.04' });
  const none = { ...whole, amount: null, vat: null, total: null, due: null };
  expect(receivedToDomain(receivedToWire(none))).toEqual(none);
});
