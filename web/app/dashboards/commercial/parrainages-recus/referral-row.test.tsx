import { dayOf } from '@parrain/domain/date';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { describe, expect, test } from 'vitest';
import type { Referral } from '#api/sales/referral';
import { i18n } from '../../../i18n.ts';
import { ReferralRow } from './referral-row.tsx';

const dayMs = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * dayMs - 60_000).toISOString();
const day = (offset: number) => dayOf(new Date(Date.now() + offset * dayMs));

const referral: Referral = {
  id: 's',
  createdAt: ago(0),
  status: 'pending',
  readyForValidation: false,
  adminValidated: false,
  correctsSaleId: null,
  referredContactName: 'Paul Petit',
  referredContactEmail: 'paul@exemple.fr',
  referredContactPhone: '06 11 22 33 44',
  personalMessage: null,
  contractAmount: null,
  contractDescription: null,
  commercialNotes: null,
  commercialId: 'c',
  clientReferrerId: null,
  friendReferrerId: 'f',
  commissionRateId: null,
  scale: null,
  rejectionReason: null,
  validatedAt: null,
  validatedBy: null,
  clientCommissionAmount: null,
  commercialCommissionAmount: null,
  correctionReason: null,
  version: 1,
  isTest: false,
  commercialName: null,
  clientReferrerName: null,
  friendReferrerName: 'Sophie Marchand',
  cancellation: null,
  amended: null,
  correction: null,
  followUp: null,
  callAnswer: null,
  writtenAt: null,
  newsAskedAt: null,
};

/** The texts and the ways out of a row. */
function read(facts: Partial<Referral>, company: Company = {}) {
  const html = htmlOf(facts, company);
  return {
    text: html.replaceAll(/<[^>]*>/gu, '').replaceAll(/\s/gu, ' '),
    ways: [...html.matchAll(/aria-label="(?<label>[^"]*)"/gu)].map(({ groups }) =>
      groups?.['label']?.replaceAll(/\s/gu, ' '),
    ),
  };
}

interface Company {
  followUpDays?: number | null;
  isConsentRequired?: boolean;
}

function htmlOf(facts: Partial<Referral>, company: Company = {}): string {
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <ReferralRow
        sale={{ ...referral, ...facts }}
        followUpDays={company.followUpDays ?? null}
        isConsentRequired={company.isConsentRequired ?? false}
        onOpen={() => undefined}
        onReach={() => undefined}
      />
    </I18nextProvider>,
  );
}

describe('a row of « Aujourd’hui »', () => {
  test.each([
    ['Nouveau · il y a 1 min', {}],
    ['Nouveau · il y a 2 j', { createdAt: ago(2) }],
    [
      'Contrat à corriger',
      { status: 'in_negotiation', correction: { message: 'Montant hors taxes', askedAt: ago(1) } },
    ],
    ['En attente depuis 3 jours', { createdAt: ago(3) }],
    ['En retard', { createdAt: ago(7) }],
    ['En retard de 1 jour', { createdAt: ago(8) }],
    ['En retard de 3 jours', { createdAt: ago(10) }],
    ['À rappeler aujourd’hui', { status: 'contacted', followUp: { note: null, callBackOn: day(0) } }],
    ['À rappeler depuis hier', { status: 'contacted', followUp: { note: null, callBackOn: day(-1) } }],
    ['À rappeler depuis 4 jours', { status: 'in_negotiation', followUp: { note: null, callBackOn: day(-4) } }],
  ] as const)('[UI-06] says why it is here: « %s », and who recommends it', (why, facts) => {
    expect(read(facts, { followUpDays: 7 }).text).toContain(`${why} · Sophie Marchand`);
  });

  test('[UI-06] says of another list when it is to be called back, what it waits for, or when it came', () => {
    expect(read({ followUp: { note: null, callBackOn: day(9) } }).text).toContain('À relancer le');
    expect(read({ status: 'contacted' }).text).toContain('Reçu le');
    const signed = { status: 'validated', readyForValidation: true, contractAmount: 123_456n } as const;
    expect(read(signed).text).toMatch(/Contrat signé et validé.*En attente validation société · 1 234,56 €/u);
  });

  test('[UI-06] [CS-03] offers the call where the friend and the company let it be made, else the mail, else nothing', () => {
    const call = 'Appeler Paul Petit au 06 11 22 33 44';
    const mail = 'Écrire à Paul Petit : paul@exemple.fr';
    expect(read({}).ways).toEqual([call]);
    expect(read({ callAnswer: true }, { isConsentRequired: true }).ways).toEqual([call]);
    expect(read({ referredContactPhone: null }).ways).toEqual([mail]);
    expect(read({}, { isConsentRequired: true }).ways).toEqual(['Écrire une seule fois à Paul Petit']);
    expect(read({ writtenAt: ago(1) }, { isConsentRequired: true }).ways).toEqual([]);
    expect(read({ callAnswer: false }).ways).toEqual([]);
    expect(read({ status: 'rejected' }).ways).toEqual([]);
  });

  test('[UI-06] [DF-41] the call is offered first to who agreed to it; to who said nothing it is quiet, and says so', () => {
    const isSolid = (facts: Partial<Referral>) => /<a[^>]*class="[^"]*bg-sapin/u.test(htmlOf(facts));
    expect(isSolid({ callAnswer: true })).toBe(true);
    expect(isSolid({ callAnswer: null })).toBe(false);
    expect(read({ callAnswer: null }).text).toContain('N’a pas dit s’il accepte les appels');
  });

  test('[DF-41] [CS-03] says what the friend chose about being called, and what may be written', () => {
    expect(read({}).text).toContain('N’a pas dit s’il accepte les appels');
    expect(read({ callAnswer: true }).text).toContain('D’accord pour être appelé');
    expect(read({ callAnswer: false }).text).toMatch(/Pas d’accord pour être appelé.*A répondu non : ne pas écrire/u);
    expect(read({ writtenAt: ago(1) }, { isConsentRequired: true }).text).toContain('Message envoyé le');
    expect(read({ referredContactPhone: null }).text).not.toContain('être appelé');
  });
});
