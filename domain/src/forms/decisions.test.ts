import { describe, expect, test } from 'vitest';
import { Failure } from '../failure.ts';
import { commissionScaleForm, commissionScalePayload } from './commission-scale.ts';
import { companyNameForm } from './company-name.ts';
import { contractDecisionForm } from './contract-decision.ts';
import { parsePayload } from './parse-payload.ts';
import { approvalAnnulmentForm, paymentDecisionForm } from './payment-decision.ts';
import { saleStatusForm } from './sale-status.ts';
import { accepted, refusals } from './testing.ts';

const uuid = '3f2b8c1e-1111-4222-8333-444455556666';

function safeFailure(parse: () => unknown): Failure | null {
  try {
    parse();
    return null;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function failureOf(parse: () => unknown): Failure {
  try {
    parse();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('Nothing was refused');
}

describe('scale', () => {
  const standard = {
    name: 'Standard',
    description: '',
    client_commission_type: 'percentage',
    client_commission_amount: '10',
    commercial_commission_type: 'fixed',
    commercial_commission_amount: '50,00',
  };

  test('[V-03] percentage or fixed on each side; the description is optional', () => {
    const input = accepted(commissionScaleForm, standard);
    expect(input).toEqual({
      name: 'Standard',
      description: null,
      scale: { client: { type: 'percentage', basisPoints: 1_000n }, commercial: { type: 'fixed', amount: 5_000n } },
      clientHoldDays: 0,
      fromContractAmount: null,
      lastDay: null,
    });
    const payload = commissionScalePayload(input);
    expect(payload).toEqual({
      ...standard,
      description: null,
      client_commission_amount: '10',
      commercial_commission_amount: '50.00',
      client_hold_days: 0,
      from_contract_amount: null,
    });
    expect(accepted(commissionScaleForm, payload)).toEqual(input);
  });

  test('[AD-08] a scale is proposed from an amount on, or from none', () => {
    for (const [written, cents] of [
      ['15 000,00', 1_500_000n],
      [15_000.5, 1_500_050n],
      ['', null],
      [null, null],
    ] as const) {
      const input = accepted(commissionScaleForm, { ...standard, from_contract_amount: written });
      expect(input.fromContractAmount).toBe(cents);
      expect(accepted(commissionScaleForm, commissionScalePayload(input))).toEqual(input);
    }
    for (const written of ['0', '-1', 'abc', '1,005'])
      expect(refusals(commissionScaleForm, { ...standard, from_contract_amount: written })).toEqual([
        'from_contract_amount: Le seuil est un montant en euros au-dessus de zéro, avec deux décimales au plus',
      ]);
  });

  test('[LG-03] a commission is kept for a whole number of days, a year at most, none by default', () => {
    for (const [written, days] of [
      ['30', 30],
      [365, 365],
      [' 0 ', 0],
      ['', 0],
      [null, 0],
    ] as const)
      expect(accepted(commissionScaleForm, { ...standard, client_hold_days: written }).clientHoldDays).toBe(days);
    for (const written of ['366', '-1', '1,5', 1.5, 'abc', '1e2', 1000])
      expect(refusals(commissionScaleForm, { ...standard, client_hold_days: written })).toEqual([
        'client_hold_days: Le délai est un nombre de jours, de 0 à 365',
      ]);
  });

  test('[V-02] name and amounts are required', () => {
    const empty = { ...standard, name: ' ', client_commission_amount: '', commercial_commission_amount: null };
    expect(refusals(commissionScaleForm, empty)).toEqual([
      'name: Veuillez remplir tous les champs obligatoires',
      'client_commission_amount: Veuillez remplir tous les champs obligatoires',
      'commercial_commission_amount: Veuillez remplir tous les champs obligatoires',
    ]);
    expect(failureOf(() => parsePayload(commissionScaleForm, empty)).message).toBe(
      'Veuillez remplir tous les champs obligatoires',
    );
  });

  test.each(['0', '-5', 'abc', '1e3', '0.001', -1, 0, Number.NaN])('[V-03] « %s » is no positive number', (amount) => {
    const input = { ...standard, client_commission_amount: amount, commercial_commission_amount: amount };
    expect(refusals(commissionScaleForm, input)).toEqual([
      'client_commission_amount: Le montant de commission client doit être un nombre positif',
      'commercial_commission_amount: Le montant de commission commercial doit être un nombre positif',
    ]);
  });

  test('[FX-72] a third decimal is refused for what it is', () => {
    expect(refusals(commissionScaleForm, { ...standard, client_commission_amount: '10,125' })).toEqual([
      'client_commission_amount: Un pourcentage a deux décimales au plus',
    ]);
    const fixed = { ...standard, commercial_commission_type: 'fixed', commercial_commission_amount: '50.125' };
    expect(refusals(commissionScaleForm, fixed)).toEqual([
      'commercial_commission_amount: Le montant doit être un nombre d’euros, avec deux décimales au plus',
    ]);
  });

  test('[V-17] [FX-62] one percentage is at most 100; both together may exceed it', () => {
    expect(refusals(commissionScaleForm, { ...standard, client_commission_amount: '100.01' })).toEqual([
      'client_commission_amount: Un pourcentage ne peut pas dépasser 100',
    ]);
    const both = { ...standard, client_commission_amount: 60, commercial_commission_type: 'percentage' };
    expect(accepted(commissionScaleForm, { ...both, commercial_commission_amount: 50 }).scale.commercial).toEqual({
      type: 'percentage',
      basisPoints: 5_000n,
    });
    expect(refusals(commissionScaleForm, { ...both, commercial_commission_amount: 100.01 })).toEqual([
      'commercial_commission_amount: Un pourcentage ne peut pas dépasser 100',
    ]);
  });

  test('[V-03] an unknown type is refused', () => {
    expect(refusals(commissionScaleForm, { ...standard, client_commission_type: 'toString' })).toEqual([
      'client_commission_type: Le type de commission doit être un pourcentage ou un montant fixe',
    ]);
  });
});

describe('decision on a contract', () => {
  test('[V-04] an action is required', () => {
    expect(refusals(contractDecisionForm, { sale_id: uuid })).toEqual([
      'action: Veuillez choisir de valider ou de refuser',
    ]);
    expect(failureOf(() => parsePayload(contractDecisionForm, { sale_id: uuid, action: 'x' })).code).toBe(
      'decision_required',
    );
  });

  test('[V-04] a refusal has a reason', () => {
    for (const reason of ['', '  \n', null, undefined]) {
      const payload = { action: 'reject', sale_id: uuid, reason };
      expect(refusals(contractDecisionForm, payload)).toEqual(['reason: Veuillez indiquer la raison du refus']);
      expect(failureOf(() => parsePayload(contractDecisionForm, payload))).toMatchObject({
        code: 'refusal_reason_required',
        message: 'Veuillez indiquer la raison du refus',
      });
    }
    expect(
      accepted(contractDecisionForm, { action: 'reject', sale_id: uuid, reason: ' Hors zone ', seen_version: 2 }),
    ).toEqual({ action: 'reject', saleId: uuid, seenVersion: 2, reason: 'Hors zone' });
  });

  test('[S-11] a cancellation has a reason', () => {
    expect(refusals(contractDecisionForm, { action: 'cancel_validation', sale_id: uuid })).toEqual([
      'reason: Veuillez indiquer la raison de l’annulation',
    ]);
  });

  test('[UI-11] a correction says why or what, and its new amount; both are taken as they were seen', () => {
    expect(refusals(contractDecisionForm, { action: 'correct_contract', sale_id: uuid })).toEqual([
      'reason: Veuillez indiquer la raison de la correction',
    ]);
    expect(refusals(contractDecisionForm, { action: 'ask_correction', sale_id: uuid, seen_version: 1 })).toEqual([
      'reason: Veuillez indiquer ce qui est à corriger',
    ]);
    expect(
      accepted(contractDecisionForm, { action: 'ask_correction', sale_id: uuid, reason: ' Trop ', seen_version: 1 }),
    ).toEqual({ action: 'ask_correction', saleId: uuid, seenVersion: 1, reason: 'Trop' });
    expect(
      accepted(contractDecisionForm, {
        ...seen,
        action: 'correct_contract',
        reason: 'Avenant',
        contract_left: '1 300,00',
        seen_corrections: 0,
      }),
    ).toEqual({
      action: 'correct_contract',
      saleId: uuid,
      seenVersion: 3,
      reason: 'Avenant',
      contractLeft: 130_000n,
      seenContract: 123_456n,
      seenCorrections: 0,
      expectedClientCommissionAmount: 12_346n,
      expectedCommercialCommissionAmount: 5000n,
    });
  });

  const seen = {
    action: 'validate',
    sale_id: uuid,
    seen_version: 3,
    expected_client_commission_amount: 123.46,
    expected_commercial_commission_amount: '50.00',
    expected_contract_amount: '1234.56',
  };

  test('[FX-11] a decision that does not say what was on screen is refused, in a sentence that says to read again', () => {
    const decisions = [
      seen,
      { ...seen, action: 'reject', reason: 'Hors zone' },
      { ...seen, action: 'cancel_validation', reason: 'Erreur' },
      { ...seen, action: 'ask_correction', reason: 'Montant' },
      { ...seen, action: 'correct_contract', reason: 'Avenant', contract_left: 1300, seen_corrections: 0 },
    ];
    const required = { validate: 4, reject: 1, cancel_validation: 3, ask_correction: 1, correct_contract: 4 };
    for (const decision of decisions) {
      const fields = Object.keys(seen).filter((field) => field.startsWith('seen') || field.startsWith('expected'));
      const missed = fields.filter((field) => {
        const failure = safeFailure(() => parsePayload(contractDecisionForm, { ...decision, [field]: null }));
        expect(failure?.code ?? 'seen_required').toBe('seen_required');
        return failure !== null;
      });
      expect({ [decision.action]: missed.length }).toEqual({
        [decision.action]: required[decision.action as keyof typeof required],
      });
    }
    expect(failureOf(() => parsePayload(contractDecisionForm, { action: 'validate', sale_id: uuid }))).toMatchObject({
      status: 428,
      message:
        'Cette décision ne dit pas ce qui était affiché à l’écran. Relisez la vente ou la demande, puis décidez à nouveau.',
    });
  });

  test('[AD-12] a validation says what was seen', () => {
    expect(accepted(contractDecisionForm, { ...seen, commission_rate_id: uuid })).toEqual({
      action: 'validate',
      saleId: uuid,
      commissionRateId: uuid,
      version: null,
      seenVersion: 3,
      expectedClientCommissionAmount: 12_346n,
      expectedCommercialCommissionAmount: 5_000n,
      expectedContractAmount: 123_456n,
    });
    expect(accepted(contractDecisionForm, seen)).toMatchObject({ commissionRateId: null });
    expect(refusals(contractDecisionForm, { ...seen, seen_version: 1.5 })).toHaveLength(1);
  });
});

describe('decision on a payment request', () => {
  test('[V-05] a refusal has a reason, which the wire carries in the notes or apart', () => {
    expect(refusals(paymentDecisionForm, { request_id: uuid, status: 'rejected', admin_notes: ' ' })).toEqual([
      'rejection_reason: Veuillez indiquer la raison du refus',
    ]);
    const refusal = { request_id: uuid, status: 'rejected', seen_version: 1 };
    expect(accepted(paymentDecisionForm, { ...refusal, admin_notes: 'IBAN faux' })).toEqual({
      requestId: uuid,
      status: 'rejected',
      seenVersion: 1,
      adminNotes: 'IBAN faux',
      rejectionReason: 'IBAN faux',
    });
    const both = { ...refusal, admin_notes: 'note', rejection_reason: 'raison' };
    expect(accepted(paymentDecisionForm, both)).toMatchObject({ adminNotes: 'note', rejectionReason: 'raison' });
  });

  test('[V-05] notes are optional to pay or to approve', () => {
    for (const status of ['paid', 'approved']) {
      const decision = { request_id: uuid, status, admin_notes: null, seen_version: 2, expected_amount: '40.00' };
      expect(accepted(paymentDecisionForm, decision)).toEqual({
        requestId: uuid,
        status,
        settlement: null,
        paidOn: null,
        seenVersion: 2,
        expectedAmount: 4_000n,
        adminNotes: null,
      });
    }
    expect(
      refusals(paymentDecisionForm, { request_id: uuid, status: 'pending', seen_version: 1, expected_amount: 1 }),
    ).toHaveLength(1);
  });

  test('[DF-01] the specification’s payload of a decision says nothing of what was seen, and is taken', () => {
    const decision = { request_id: uuid, admin_notes: 'Motif' };
    for (const status of ['approved', 'paid']) {
      expect(accepted(paymentDecisionForm, { ...decision, status })).toEqual({
        requestId: uuid,
        status,
        settlement: null,
        paidOn: null,
        seenVersion: null,
        expectedAmount: null,
        adminNotes: 'Motif',
      });
    }
    expect(accepted(paymentDecisionForm, { ...decision, status: 'rejected' })).toMatchObject({
      seenVersion: null,
      rejectionReason: 'Motif',
    });
    const halves = { ...decision, status: 'paid', seen_version: 'deux', expected_amount: 'x' };
    expect(refusals(paymentDecisionForm, halves)).toHaveLength(2);
  });

  test('[FX-11] [FX-10] annulling says what was on screen', () => {
    const codeOf = (form: Parameters<typeof parsePayload>[0], payload: unknown) =>
      safeFailure(() => parsePayload(form, payload))?.code;
    expect(codeOf(approvalAnnulmentForm, { request_id: uuid, reason: 'IBAN clos' })).toBe('seen_required');
    expect(accepted(approvalAnnulmentForm, { request_id: uuid, reason: ' IBAN clos ', seen_version: 2 })).toEqual({
      requestId: uuid,
      seenVersion: 2,
      reason: 'IBAN clos',
    });
    expect(refusals(approvalAnnulmentForm, { request_id: uuid, reason: ' ', seen_version: 2 })).toEqual([
      'reason: Veuillez indiquer la raison de l’annulation',
    ]);
  });
});

describe('status of a sale', () => {
  test.each(['validated', 'pending_validation', 'pending_final_validation'])(
    '[V-09] %s asks for the amount and the description',
    (status) => {
      expect(refusals(saleStatusForm, { sale_id: uuid, status })).toEqual([
        'contract_amount: Le montant et la description du contrat sont requis pour ce statut.',
        'contract_description: Le montant et la description du contrat sont requis pour ce statut.',
      ]);
      const half = { sale_id: uuid, status, contract_amount: '1 234,56', contract_description: ' ' };
      expect(failureOf(() => parsePayload(saleStatusForm, half))).toMatchObject({
        code: 'contract_details_required',
        message: 'Le montant et la description du contrat sont requis pour ce statut.',
      });
      expect(accepted(saleStatusForm, { ...half, contract_description: 'Toiture' })).toEqual({
        saleId: uuid,
        choice: status === 'validated' ? 'validated' : 'pending_validation',
        contractAmount: 123_456n,
        contractDescription: 'Toiture',
        commercialNotes: null,
        privateNote: null,
        callBackOn: null,
      });
    },
  );

  test.each(['pending', 'contacted', 'in_negotiation'])(
    '[UI-06] %s goes with a private note and the day to call back, in one form',
    (status) => {
      const said = { sale_id: uuid, status, private_note: ' Après 18 h ', call_back_on: '2026-11-30' };
      expect(accepted(saleStatusForm, said)).toMatchObject({ privateNote: 'Après 18 h', callBackOn: '2026-11-30' });
      expect(refusals(saleStatusForm, { ...said, call_back_on: '2026-02-30' })).toEqual([
        'call_back_on: Choisissez une date.',
      ]);
    },
  );

  test.each(['pending_validation', 'validated', 'rejected'])(
    '[UI-06] %s keeps a private note, and has no day to call back',
    (status) => {
      const said = { sale_id: uuid, status, contract_amount: 100, contract_description: 'x', private_note: 'Signé' };
      expect(accepted(saleStatusForm, { ...said, call_back_on: '' })).toMatchObject({ privateNote: 'Signé' });
      expect(refusals(saleStatusForm, { ...said, call_back_on: '2026-11-30' })).toEqual([
        'call_back_on: Seul un parrainage encore à suivre se relance.',
      ]);
    },
  );

  test.each(['pending', 'contacted', 'in_negotiation', 'rejected'])('[V-09] %s asks for nothing else', (status) => {
    expect(accepted(saleStatusForm, { sale_id: uuid, status, contract_amount: '' })).toMatchObject({
      choice: status,
      contractAmount: null,
    });
  });

  test('[V-09] the status is required, and known', () => {
    expect(refusals(saleStatusForm, { sale_id: uuid })).toEqual(['status: Le statut est requis']);
    expect(refusals(saleStatusForm, { sale_id: uuid, status: 'admin_validated' })).toEqual([
      'status: Le statut est requis',
    ]);
    // A day to call back beside it is no second mistake.
    expect(refusals(saleStatusForm, { sale_id: uuid, status: 'x', call_back_on: '2026-11-30' })).toEqual([
      'status: Le statut est requis',
    ]);
  });

  test.each([0, '0', -5, '0.001', '1e3', '12,345', 'NaN', Number.NaN, 1e308, 99_999_999_999, [], {}, true])(
    '[V-17] a contract of %j is refused',
    (amount) => {
      const payload = { sale_id: uuid, status: 'validated', contract_amount: amount, contract_description: 'x' };
      expect(refusals(saleStatusForm, payload)).toHaveLength(1);
    },
  );

  test('[V-10] no referral selected', () => {
    for (const sale_id of [undefined, null, '', 'x']) {
      expect(refusals(saleStatusForm, { sale_id, status: 'pending' })).toEqual([
        'sale_id: Aucun parrainage sélectionné',
      ]);
      expect(failureOf(() => parsePayload(saleStatusForm, { sale_id, status: 'pending' })).code).toBe(
        'sale_not_selected',
      );
    }
  });
});

test('[V-07] the company’s name is kept only if something is left after trimming', () => {
  expect(accepted(companyNameForm, { company_name: '  Parrain SA ' })).toEqual({ companyName: 'Parrain SA' });
  for (const company_name of ['', '  ', '\u00a0', null, undefined]) {
    expect(refusals(companyNameForm, { company_name })).toEqual(['company_name: Le nom de l’entreprise est requis']);
  }
});
