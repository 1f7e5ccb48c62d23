import { describe, expect, test } from 'vitest';
import {
  adminSaleLabel,
  canMoveSale,
  clientSaleLabel,
  clientSaleLabels,
  commercialSaleLabel,
  isAwaitingValidation,
  isCancellable,
  isEarned,
  isEditableByCommercial,
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

describe('ce que voit le commercial', () => {
  test('[S-01] les six libellés, et le mot envoyé au serveur', () => {
    expect(saleChoices.map((choice) => [saleChoiceToWire(choice), saleChoiceLabels[choice]])).toEqual([
      ['pending', 'En attente'],
      ['contacted', 'Contacté'],
      ['in_negotiation', 'En négociation'],
      ['pending_final_validation', 'En attente validation finale'],
      ['validated', 'Contrat signé et validé'],
      ['rejected', 'Refusé'],
    ]);
  });

  test('[S-03] une vente en attente et prête est « En attente validation finale », en violet', () => {
    expect(commercialSaleLabel(awaitingFinal)).toBe('En attente validation finale');
    expect(saleTone(saleState(awaitingFinal))).toBe('purple');
    expect(saleBadge(awaitingFinal, 'commercial')).toEqual({ label: 'En attente validation finale', tone: 'purple' });
  });

  test('[S-01] chaque état a son mot et sa couleur', () => {
    expect(every.map((one) => saleBadge(one, 'commercial'))).toEqual([
      { label: 'En attente', tone: 'amber' },
      { label: 'Contacté', tone: 'blue' },
      { label: 'En négociation', tone: 'indigo' },
      { label: 'En attente validation finale', tone: 'purple' },
      { label: 'Contrat signé et validé', tone: 'green' },
      { label: 'Contrat signé et validé', tone: 'green' },
      { label: 'Refusé', tone: 'red' },
      { label: 'Validation annulée', tone: 'neutral' },
    ]);
  });
});

describe('ce que peut le commercial', () => {
  test('[S-02] il choisit l’un des six, dans n’importe quel ordre, tant que la vente n’est pas validée', () => {
    for (const from of [pending, contacted, inNegotiation, awaitingFinal, rejected]) {
      expect(isEditableByCommercial(from)).toBe(true);
      for (const choice of saleChoices) {
        const to = saleState(sale(statusToStored(choice)));
        expect(canMoveSale('commercial', from, to)).toBe(true);
      }
      expect(canMoveSale('commercial', from, 'validated')).toBe(false);
    }
  });

  test('[S-02] une vente validée ne se modifie plus, que l’admin l’ait confirmée ou non', () => {
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
  ] as const)('[S-03] %s s’enregistre %s, prêt : %s', (choice, status, readyForValidation) => {
    expect(statusToStored(choice)).toEqual({ status, readyForValidation });
  });

  test('[S-03] ce qui est enregistré se relit comme ce qui a été choisi', () => {
    for (const choice of saleChoices) expect(saleChoiceOf(sale(statusToStored(choice)))).toBe(choice);
  });

  test('[V-09] seuls une signature et une validation finale demandent le contrat', () => {
    expect(saleChoices.filter(needsContractDetails)).toEqual(['pending_validation', 'validated']);
  });
});

describe('ce que voit et décide l’admin', () => {
  test('[S-05] les quatre libellés', () => {
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

  test('[S-04] il valide ou refuse ce qui attend une validation, rien d’autre', () => {
    const decidable = every.filter((one) => saleMoves.admin[saleState(one)].length > 0);
    expect(decidable).toEqual([awaitingFinal, awaitingAdmin]);
    for (const one of decidable) expect(saleMoves.admin[saleState(one)]).toEqual(['validated', 'rejected']);
  });

  test('[S-06] attendent une validation : prête et en attente, ou validée sans l’admin, rien d’autre', () => {
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

  test('[S-08] une commission n’est acquise que sur une vente validée par l’admin', () => {
    expect(every.filter(isEarned)).toEqual([validated, correction]);
    expect(isEarned(sale({ status: 'pending', adminValidated: true }))).toBe(false);
  });

  test('[S-11] seule une vente validée par l’admin s’annule, et une correction ne s’annule pas', () => {
    expect(every.filter(isCancellable)).toEqual([validated]);
  });
});

describe('ce que voit le client', () => {
  test('[S-07] les libellés, « En cours » pour tout ce qui n’est ni signé ni rejeté', () => {
    expect(clientSaleLabels.invited).toBe('Invité');
    expect(clientSaleLabel({ status: 'invited', correctsSaleId: null })).toBe('Invité');
    expect(every.map((one) => saleBadge(one, 'client'))).toEqual([
      { label: 'En cours', tone: 'amber' },
      { label: 'En cours', tone: 'amber' },
      { label: 'En cours', tone: 'amber' },
      { label: 'En cours', tone: 'amber' },
      { label: 'Contrat signé', tone: 'green' },
      { label: 'Contrat signé', tone: 'green' },
      { label: 'Rejeté', tone: 'red' },
      { label: 'Validation annulée', tone: 'neutral' },
    ]);
  });

  test('[S-05] un même mot n’a jamais deux couleurs sur un écran', () => {
    for (const audience of ['commercial', 'admin', 'client'] as const) {
      const tones = new Map<string, string>();
      for (const one of every) {
        const { label, tone } = saleBadge(one, audience);
        expect(tones.get(label) ?? tone).toBe(tone);
        tones.set(label, tone);
      }
    }
  });
});

test('[M-02] le parrain affiché est l’ami, à défaut le client', () => {
  expect(referrerName({ friendReferrerName: 'Ana', clientReferrerName: 'Luc' })).toBe('Ana');
  expect(referrerName({ friendReferrerName: null, clientReferrerName: 'Luc' })).toBe('Luc');
  expect(referrerName({ friendReferrerName: null, clientReferrerName: null })).toBeNull();
});
