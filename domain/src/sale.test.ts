import { describe, expect, test } from 'vitest';
import {
  adminSaleLabel,
  canMoveSale,
  correctionLabel,
  clientSaleLabel,
  clientSaleLabels,
  commercialSaleLabel,
  isAwaitingValidation,
  isCancellable,
  isEarned,
  isEditableByCommercial,
  isLate,
  isOpen,
  needsContractDetails,
  referrerName,
  saleBadge,
  saleChoiceLabels,
  saleChoiceOf,
  saleChoiceToWire,
  saleChoices,
  saleMoves,
  saleState,
  saleStates,
  saleStatuses,
  saleTone,
  statusToStored,
  type SaleFacts,
} from './sale.ts';

function sale(facts: Partial<SaleFacts> & { rejectionReason?: string | null } = {}) {
  return {
    status: 'pending',
    readyForValidation: false,
    adminValidated: false,
    correctsSaleId: null,
    rejectionReason: null,
    ...facts,
  } as const;
}

const pending = sale();
const contacted = sale({ status: 'contacted' });
const inNegotiation = sale({ status: 'in_negotiation' });
const awaitingFinal = sale({ readyForValidation: true });
const awaitingAdmin = sale({ status: 'validated', readyForValidation: true });
const validated = sale({ status: 'validated', readyForValidation: true, adminValidated: true });
const rejected = sale({ status: 'rejected', rejectionReason: 'Hors zone' });
const correction = sale({ status: 'validated', readyForValidation: true, adminValidated: true, correctsSaleId: 'x' });
const every = [pending, contacted, inNegotiation, awaitingFinal, awaitingAdmin, validated, rejected, correction];

describe('what the commercial sees', () => {
  test('[S-01] the six labels, and the word sent to the server', () => {
    expect(saleChoices.map((choice) => [saleChoiceToWire(choice), saleChoiceLabels[choice]])).toEqual([
      ['pending', 'En attente'],
      ['contacted', 'Contacté'],
      ['in_negotiation', 'En négociation'],
      ['pending_final_validation', 'En attente validation finale'],
      ['validated', 'Contrat signé et validé'],
      ['rejected', 'Refusé'],
    ]);
  });

  test('[S-03] a sale that is pending and ready is « En attente validation finale », in violet', () => {
    expect(commercialSaleLabel(awaitingFinal)).toBe('En attente validation finale');
    expect(saleTone(saleState(awaitingFinal))).toBe('purple');
    expect(saleBadge(awaitingFinal, 'commercial')).toMatchObject({
      label: 'En attente validation finale',
      tone: 'purple',
    });
  });

  test('[S-01] each state has its word and its colour', () => {
    expect(every.map((one) => saleBadge(one, 'commercial'))).toMatchObject([
      { label: 'En attente', tone: 'amber' },
      { label: 'Contacté', tone: 'blue' },
      { label: 'En négociation', tone: 'indigo' },
      { label: 'En attente validation finale', tone: 'purple' },
      { label: 'Contrat signé et validé', tone: 'purple' },
      { label: 'Contrat signé et validé', tone: 'green' },
      { label: 'Refusé', tone: 'red' },
      { label: 'Validation annulée', tone: 'neutral' },
    ]);
  });
});

describe('what the commercial may do', () => {
  test('[S-02] they pick one of the six, in any order, as long as the sale is not validated', () => {
    for (const from of [pending, contacted, inNegotiation, awaitingFinal, rejected]) {
      expect(isEditableByCommercial(from)).toBe(true);
      for (const choice of saleChoices) {
        const to = saleState(sale(statusToStored(choice)));
        expect(canMoveSale('commercial', from, to)).toBe(true);
      }
      expect(canMoveSale('commercial', from, 'validated')).toBe(false);
    }
  });

  test('[S-02] a validated sale can no longer be edited, confirmed by the admin or not', () => {
    for (const from of [awaitingAdmin, validated, correction]) {
      expect(isEditableByCommercial(from)).toBe(false);
      for (const to of saleStates) expect(canMoveSale('commercial', from, to)).toBe(false);
    }
  });

  test.each([
    ['pending', 'pending', false],
    ['contacted', 'contacted', false],
    ['in_negotiation', 'in_negotiation', false],
    ['pending_validation', 'pending', true],
    ['pending_final_validation', 'pending', true],
    ['validated', 'validated', true],
    ['rejected', 'rejected', false],
  ] as const)('[S-03] %s is recorded as %s, ready: %s', (choice, status, readyForValidation) => {
    expect(statusToStored(choice)).toEqual({ status, readyForValidation });
  });

  test('[S-03] the recorded choice reads back as the choice', () => {
    for (const choice of saleChoices) expect(saleChoiceOf(sale(statusToStored(choice)))).toBe(choice);
  });

  test('[V-09] only a signature and a final validation ask for the contract', () => {
    expect(saleChoices.filter(needsContractDetails)).toEqual(['pending_validation', 'validated']);
  });
});

describe('what the admin sees and decides', () => {
  test('[S-05] the four labels', () => {
    expect(every.map(adminSaleLabel)).toEqual([
      'En attente',
      'En attente',
      'En attente',
      'En attente',
      'À valider par admin',
      'Validé par admin',
      'Refusé: Hors zone',
      'Validation annulée',
    ]);
    expect(adminSaleLabel(sale({ status: 'rejected' }))).toBe('Refusé');
  });

  test('[S-04] they validate or refuse a sale that awaits a validation, and nothing else', () => {
    const decidable = every.filter((one) => saleMoves.admin[saleState(one)].length > 0);
    expect(decidable).toEqual([awaitingFinal, awaitingAdmin]);
    for (const one of decidable)
      expect(saleMoves.admin[saleState(one)]).toEqual(['validated', 'rejected', 'in_negotiation']);
  });

  test('[S-06] awaiting a validation: ready and pending, or validated without the admin, nothing else', () => {
    const listed: string[] = [];
    for (const status of saleStatuses) {
      for (const readyForValidation of [false, true]) {
        for (const adminValidated of [false, true]) {
          const one = sale({ status, readyForValidation, adminValidated });
          if (isAwaitingValidation(one))
            listed.push(`${status} ${String(readyForValidation)} ${String(adminValidated)}`);
        }
      }
    }
    expect(listed).toEqual(['pending true false', 'pending true true', 'validated true false']);
    expect(isAwaitingValidation({ ...awaitingAdmin, correctsSaleId: 'x' })).toBe(false);
  });

  test('[S-08] a commission is earned only on a sale that the admin validated', () => {
    expect(every.filter(isEarned)).toEqual([validated, correction]);
    expect(isEarned(sale({ status: 'pending', adminValidated: true }))).toBe(false);
  });

  test('[S-11] only a sale that the admin validated can be cancelled, and a correction cannot', () => {
    expect(every.filter(isCancellable)).toEqual([validated]);
  });

  test('[UI-11] a correction has its name: of the whole, of a part that goes, of one that comes', () => {
    expect(correctionLabel({})).toBe('Validation annulée');
    expect(correctionLabel({ contractLeft: 50_000n, contractAmount: -50_000n })).toBe('Contrat réduit');
    expect(correctionLabel({ contractLeft: 150_000n, contractAmount: 50_000n })).toBe('Contrat augmenté');
  });
});

describe('what the client sees', () => {
  test('[S-07] the labels, « En cours » for everything neither signed nor rejected', () => {
    expect(clientSaleLabels.invited).toBe('Invité');
    expect(clientSaleLabel({ status: 'invited', correctsSaleId: null })).toBe('Invité');
    expect(every.map((one) => saleBadge(one, 'client'))).toMatchObject([
      { label: 'En cours', tone: 'amber' },
      { label: 'En cours', tone: 'amber' },
      { label: 'En cours', tone: 'amber' },
      { label: 'En cours', tone: 'purple' },
      { label: 'Contrat signé', tone: 'purple' },
      { label: 'Contrat signé', tone: 'green' },
      { label: 'Rejeté', tone: 'red' },
      { label: 'Validation annulée', tone: 'neutral' },
    ]);
  });

  test('[S-05] whatever its word, a sale is violet where the admin must decide, and there alone', () => {
    for (const audience of ['commercial', 'admin', 'client'] as const)
      for (const one of every)
        expect(saleBadge(one, audience).tone === 'purple').toBe(saleState(one).startsWith('awaiting'));
    expect(every.map((one) => saleBadge(one, 'admin').isAwaitingCompany)).toEqual(
      every.map((one) => saleState(one) === 'awaiting_final_validation'),
    );
  });

  test('[S-05] apart from that, one word never has two colours on one screen', () => {
    for (const audience of ['commercial', 'admin', 'client'] as const) {
      const tones = new Map<string, string>();
      for (const one of every) {
        const { label, tone } = saleBadge(one, audience);
        if (tone === 'purple') continue;
        expect(tones.get(label) ?? tone).toBe(tone);
        tones.set(label, tone);
      }
    }
  });
});

test('[M-02] the referrer on screen is the friend, else the client', () => {
  expect(referrerName({ friendReferrerName: 'Ana', clientReferrerName: 'Luc' })).toBe('Ana');
  expect(referrerName({ friendReferrerName: null, clientReferrerName: 'Luc' })).toBe('Luc');
  expect(referrerName({ friendReferrerName: null, clientReferrerName: null })).toBeNull();
});

describe('a referral that nobody contacted', () => {
  const createdAt = '2026-11-01T08:00:00Z';
  const at = (text: string) => new Date(text);

  test('[DF-61] is late from the company’s days on, to the second, and never where it has none', () => {
    expect(isLate({ ...pending, createdAt }, 3, at('2026-11-04T07:59:59Z'))).toBe(false);
    expect(isLate({ ...pending, createdAt }, 3, at('2026-11-04T08:00:00Z'))).toBe(true);
    expect(isLate({ ...pending, createdAt }, 3, at('2027-11-04T08:00:00Z'))).toBe(true);
    expect(isLate({ ...pending, createdAt }, null, at('2027-11-04T08:00:00Z'))).toBe(false);
    expect(isLate({ ...pending, createdAt: '2026-11-05T00:00:00Z' }, 1, at('2026-11-04T00:00:00Z'))).toBe(false);
  });

  test('[DF-61] is late no more once somebody acted', () => {
    const late = every.filter((one) => isLate({ ...one, createdAt }, 1, at('2026-12-01T00:00:00Z')));
    expect(late).toEqual([pending]);
    expect(every.filter(isOpen)).toEqual([pending, contacted, inNegotiation]);
  });
});
