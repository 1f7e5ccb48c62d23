import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { accountFamilies, accountUses, type AccountUse } from '../accounting.ts';
import { accountingClosureForm, accountingForm } from './accounting.ts';
import { apiKeyForm } from './api-key.ts';
import { callAnswerForm } from './call-answer.ts';
import { companyCallConsentForm } from './company-call-consent.ts';
import { companyColorForm } from './company-color.ts';
import { companyContactMonthsForm } from './company-contact-months.ts';
import { companyFirstReferralForm } from './company-first-referral.ts';
import { companyFollowUpsForm } from './company-follow-ups.ts';
import { companyPresentationForm } from './company-presentation.ts';
import { companySecurityForm } from './company-security.ts';
import { adjustmentOf, disputeOpeningForm, disputeReplyForm } from './dispute.ts';
import { doubtfulCaseForm, doubtHoldForm, doubtRuleForm } from './doubtful-case.ts';
import { firstStepForm } from './first-step.ts';
import { followUpForm, newsRequestForm } from './follow-up.ts';
import { friendDataForm } from './friend-data.ts';
import { friendMessageForm } from './friend-message.ts';
import { formerFriendRequestForm, friendRequestForm } from './friend-request.ts';
import { keptContactForm } from './kept-contact.ts';
import { listViewForm } from './list-view.ts';
import { noticePreferenceForm } from './notice-preference.ts';
import { optionalCount, requiredCount } from './optional-count.ts';
import { parseForm } from './parse-form.ts';
import { rulesAcceptanceForm, rulesDraftForm, rulesPublicationForm } from './programme-rules.ts';
import { receivedReferralForm } from './received-referral.ts';
import { referralGiftForm } from './referral-gift.ts';
import { tableChoiceForm } from './table-choice.ts';

// Forms by values: what each takes, and the sentence or the fields of what it refuses.

const ID = '0190f3c4-7b1a-7c2d-8e3f-a1b2c3d4e5f6';

/** The value of a form, or the fields that it refuses. */
function read(form: z.ZodMiniType, input: unknown): unknown {
  const parsed = parseForm(form, input);
  return parsed.ok ? parsed.value : parsed.issues.map(({ path }) => path.join('.'));
}
/** The sentences of a refusal. */
function refusal(form: z.ZodMiniType, input: unknown): readonly string[] {
  const parsed = parseForm(form, input);
  return parsed.ok ? [] : parsed.issues.map(({ message }) => message);
}

describe('settings of the company', () => {
  test('[DF-61] a number is whole, from one to its most; empty is never', () => {
    const form = optionalCount(90, 'de 1 à 90');
    expect(['7', 7, ' 7 ', 90, '', null].map((value) => read(form, value))).toEqual([7, 7, 7, 90, null, null]);
    for (const wrong of [0, 91, -1, 1.5, '1,5', 'x', '0', '1000']) {
      expect(refusal(form, wrong)).toEqual(['de 1 à 90']);
    }
    expect(refusal(requiredCount(90, 'de 1 à 90'), '')).toEqual(['de 1 à 90']);
  });

  test('[DF-61] contacts are kept from 6 to 36 months', () => {
    const months = (value: unknown) => read(companyContactMonthsForm, { contact_months: value });
    expect([months(6), months('36')]).toEqual([{ months: 6 }, { months: 36 }]);
    for (const wrong of [5, 37, '', null]) expect(months(wrong)).toEqual(['contact_months']);
  });

  test('[DF-61] the first referral counts for 1 to 60 months, or never', () => {
    const months = (value: unknown) => read(companyFirstReferralForm, { first_referral_months: value });
    expect([months(60), months(''), months(61)]).toEqual([{ months: 60 }, { months: null }, ['first_referral_months']]);
  });

  test('[DF-61] admins are told after the commercial was, never instead', () => {
    const days = (one: unknown, more: unknown) =>
      read(companyFollowUpsForm, { follow_up_days: one, follow_up_admin_days: more });
    expect(days(3, 4)).toEqual({ days: 3, adminDays: 4 });
    expect(days('', '')).toEqual({ days: null, adminDays: null });
    expect(days('', 4)).toEqual(['follow_up_days']);
    expect(days(91, 4)).toEqual(['follow_up_days']);
  });

  test('[DF-61] a switch is on or off, and nothing else', () => {
    expect(read(companyCallConsentForm, { require_call_consent: true })).toEqual({ requireCallConsent: true });
    expect(read(companySecurityForm, { require_admin_two_factor: false })).toEqual({ requireAdminTwoFactor: false });
    expect(read(doubtHoldForm, { hold_doubtful: true })).toEqual({ hold_doubtful: true });
    for (const wrong of ['true', 1, null, undefined]) {
      expect(read(companyCallConsentForm, { require_call_consent: wrong })).toEqual(['require_call_consent']);
      expect(read(companySecurityForm, { require_admin_two_factor: wrong })).toEqual(['require_admin_two_factor']);
    }
  });

  test('[DF-61] a colour is one that can be read on, or the product’s own', () => {
    expect(read(companyColorForm, { brand_color: null })).toEqual({ brandColor: null });
    expect(read(companyColorForm, { brand_color: ' #0A5C4A ' })).toEqual({ brandColor: '#0a5c4a' });
    for (const wrong of ['vert', '#12345', '', 12])
      expect(read(companyColorForm, { brand_color: wrong })).toEqual(['brand_color']);
  });

  test('[DF-61] a presentation has 500 characters at most', () => {
    const unsaid = { presentation: null, friend_gain: null, answer_days: null };
    expect(read(companyPresentationForm, { presentation: ' Bonjour ' })).toEqual({
      ...unsaid,
      presentation: 'Bonjour',
    });
    expect(read(companyPresentationForm, { presentation: '' })).toEqual(unsaid);
    expect(read(companyPresentationForm, { presentation: 'x'.repeat(501) })).toEqual(['presentation']);
  });

  const fitting = (use: AccountUse) =>
    ['622200', '445660', '467000'].find((number) => accountFamilies[use].pattern.test(number)) ?? '';

  test('[AC-02] an account is of the class that its use needs, said in French; spaces between its digits are none', () => {
    const accounts = Object.fromEntries(accountUses.map((use) => [use, { number: fitting(use), label: 'Compte' }]));
    const chart = (use: AccountUse, number: string) => {
      const said = { ...accounts, [use]: { number, label: 'Compte' } };
      const form = accountingForm.safeParse({ journal_code: 'PAR', journal_label: 'Parrainage', accounts: said });
      return form.success ? form.data.accounts[use].number : form.error.issues.map(({ message }) => message).join();
    };
    expect(chart('charged', ' 622 200 ')).toBe('622200');
    expect(chart('vat', '445\u00a0660')).toBe('445660');
    expect(chart('charged', '512000')).toBe('Indiquez un compte de charge, de la classe 6.');
    expect(chart('client', '622200')).toBe('Indiquez un compte de tiers, de la classe 4.');
    expect(chart('vat_collected', '401000')).toBe('Indiquez un compte de TVA, qui commence par 445.');
    expect(chart('vat_eu', '622200')).toBe('622200');
    expect(['512000', '530000', '580000', '471000', '622200'].map((number) => chart('paid_virement', number))).toEqual([
      '512000',
      '530000',
      '580000',
      '471000',
      'Indiquez un compte de trésorerie, de la classe 5, ou d’attente, de la classe 4.',
    ]);
    expect(['411000', '709000', '512000'].map((number) => chart('paid_remise_societe', number))).toEqual([
      '411000',
      '709000',
      'Indiquez un compte de client (411), de remise (709) ou de charge (classe 6).',
    ]);
  });

  test('[DF-61] a journal has a code and an account of the French chart for each use', () => {
    const accounts = Object.fromEntries(accountUses.map((use) => [use, { number: fitting(use), label: 'Compte' }]));
    const form = { journal_code: 'par', journal_label: ' Parrainage ', accounts };
    expect(read(accountingForm, form)).toEqual({ journalCode: 'PAR', journalLabel: 'Parrainage', accounts });
    for (const number of ['46', '867000', '4670000000000', 'ABC']) {
      expect(read(accountingForm, { ...form, accounts: { ...accounts, vat: { number, label: 'x' } } })).toEqual([
        'accounts.vat.number',
      ]);
    }
    expect(read(accountingForm, { ...form, journal_code: 'A-B' })).toEqual(['journal_code']);
    expect(read(accountingClosureForm, { until: '2026-10-01' })).toEqual({ until: '2026-10-01' });
    for (const until of ['2026-10-02', '2026-10', '2026-13-01', null])
      expect(read(accountingClosureForm, { until })).toEqual(['until']);
  });
});

describe('other software', () => {
  test('[DF-61] a key has a name, a right and at most a last day', () => {
    expect(read(apiKeyForm, { name: ' CRM ', scopes: ['read'], expires_on: '2027-01-31' })).toEqual({
      name: 'CRM',
      scopes: ['read'],
      expires_on: '2027-01-31',
    });
    expect(read(apiKeyForm, { name: '', scopes: [], expires_on: '2027-02-30' })).toEqual(
      expect.arrayContaining(['name', 'scopes', 'expires_on']),
    );
    expect(read(apiKeyForm, { name: 'CRM', scopes: ['admin'], expires_on: '' })).toEqual(['scopes.0']);
  });

  test('[DF-61] a referral of another tool has its reference; with an amount it says its state', () => {
    const one = { source: 'CRM', reference: 'D-1', name: 'Zoé', email: 'zoe@exemple.fr' };
    expect(read(receivedReferralForm, one)).toMatchObject({ source: 'CRM', reference: 'D-1', contract_amount: null });
    expect(read(receivedReferralForm, { ...one, contract_amount: '10' })).toEqual(['status']);
    expect(read(receivedReferralForm, { ...one, status: 'validated', contract_amount: '0' })).toEqual([
      'contract_amount',
    ]);
    expect(read(receivedReferralForm, { ...one, email: null })).toEqual(['email']);
    expect(read(receivedReferralForm, { ...one, status: 'gagné' })).toEqual(['status']);
    expect(read(receivedReferralForm, { source: '', reference: '' })).toEqual(['source', 'reference']);
  });
});

describe('a friend', () => {
  test('[DF-61] who wants to be called leaves a number', () => {
    expect(read(callAnswerForm, { answer: 'non', phone: '', needsPhone: true })).toEqual({
      isGiven: false,
      phone: null,
    });
    expect(read(callAnswerForm, { answer: 'oui', phone: '', needsPhone: false })).toEqual({
      isGiven: true,
      phone: null,
    });
    expect(read(callAnswerForm, { answer: 'oui', phone: '', needsPhone: true })).toEqual(['phone']);
    expect(read(callAnswerForm, { answer: 'peut-être', phone: '', needsPhone: false })).toEqual(['answer']);
    expect(read(formerFriendRequestForm, { name: 'Zoé', email: 'zoe@exemple.fr', mayCall: 'oui' })).toEqual(['phone']);
    expect(read(formerFriendRequestForm, { name: 'Zoé', email: 'zoe@exemple.fr' })).toMatchObject({
      mayCall: false,
      phone: null,
    });
  });

  test.each([
    ['06 12 34 56 78', 'call', { phone: '06 12 34 56 78', email: null }],
    [' +33 6 12 34 56 78 ', 'sms', { phone: '+33 6 12 34 56 78', email: null }],
    ['Zoe@Exemple.FR', 'email', { phone: null, email: 'zoe@exemple.fr' }],
    ['zoe＠exemple.fr', 'call', ['contact']],
    ['zoe@exemple.fr', 'call', ['contact']],
    ['06 12 34 56 78', 'email', ['contact']],
    ['06 1', 'sms', ['contact']],
    ['12345', 'call', ['contact']],
    ['+33 6 12 34 56 789999', 'call', ['contact']],
    ['0899 12 34 56', 'call', ['contact']],
    ['01 23 45 67 89', 'sms', ['contact']],
    ['01 23 45 67 89', 'call', { phone: '01 23 45 67 89', email: null }],
    ['+32 470 12 34 56', 'sms', { phone: '+32 470 12 34 56', email: null }],
    ['00 44 20 7946 0958', 'call', { phone: '00 44 20 7946 0958', email: null }],
    ['0692 12 34 56', 'sms', { phone: '0692 12 34 56', email: null }],
    ['zoe@', 'email', ['contact']],
    ['appelez-moi', 'call', ['contact']],
    ['\u200b', 'sms', ['contact']],
    ['06 12 34 56 78', '', ['channel']],
    ['', 'fax', ['channel', 'contact']],
  ] as const)(
    '[UI-03] one field holds a telephone or an address, and serves the way chosen: « %s » for %s',
    (contact, channel, given) => {
      const form = read(friendRequestForm, { name: 'Zoé', contact, channel, message: '' });
      if (Array.isArray(given)) expect(form).toEqual(given);
      else expect(form).toEqual({ name: 'Zoé', message: null, channel, ...given });
    },
  );

  test('[UI-03] is told what to do about a number that nobody answers, one without SMS, a name without a letter', () => {
    const said = (fields: object) =>
      refusal(friendRequestForm, { name: 'Zoé', channel: 'call', contact: '06 12 34 56 78', ...fields });
    expect(said({ contact: '12345' })).toEqual([
      'Ce numéro est incomplet ou n’existe pas. Donnez tous ses chiffres. Exemples : 06 12 34 56 78, +32 470 12 34 56',
    ]);
    expect(said({ contact: '09 50 12 34 56', channel: 'sms' })).toEqual([
      'Un téléphone fixe ne reçoit pas de SMS : donnez un numéro de portable (06 ou 07), ou choisissez « Appel »',
    ]);
    for (const name of ['😀🎉', '👋🏽']) expect(said({ name })).toEqual(['Écrivez votre nom en lettres']);
    for (const name of ['李', 'Ana 🎉', 'D’']) expect(said({ name })).toEqual([]);
  });

  test('[DF-61] can be reached by one thing at least', () => {
    expect(read(formerFriendRequestForm, { name: 'Zoé' })).toEqual(['email']);
    expect(read(friendDataForm, { name: 'Zoé', email: '', phone: '' })).toEqual(['email']);
    expect(read(friendDataForm, { name: 'Zoé', email: '', phone: '06 12 34 56 78' })).toMatchObject({
      name: 'Zoé',
      email: null,
    });
  });

  test('[DF-61] is written to with words', () => {
    expect(read(friendMessageForm, { sale_id: ID, message: ' Bonjour ' })).toEqual({ saleId: ID, message: 'Bonjour' });
    expect(refusal(friendMessageForm, { sale_id: ID, message: '  ' })).toEqual(['Veuillez écrire votre message']);
    expect(read(friendMessageForm, { sale_id: ID, message: 'x'.repeat(501) })).toEqual(['message']);
  });
});

describe('decisions', () => {
  test('[DF-61] a case is decided with a reason, as it was seen', () => {
    const one = { case_id: ID, decision: 'cleared', reason: 'Vu', seen_version: 2 };
    expect(read(doubtfulCaseForm, one)).toEqual({
      caseId: ID,
      decision: 'cleared',
      reason: 'Vu',
      isPairCleared: false,
      seenVersion: 2,
    });
    expect(read(doubtfulCaseForm, { ...one, decision: 'open', reason: ' ' })).toEqual(['decision', 'reason']);
    expect(read(doubtRuleForm, { rule: 'burst', is_on: true, most: '' })).toEqual(['most']);
    expect(read(doubtRuleForm, { rule: 'same_device', is_on: true, most: '' })).toMatchObject({ most: null });
    expect(read(doubtRuleForm, { rule: 'burst', is_on: true, most: 101 })).toEqual(['most']);
  });

  test('[DF-61] an adjustment has a direction and at most 10 000 €', () => {
    expect(adjustmentOf({ direction: 'more', amount: 1200n })).toBe(1200n);
    expect(adjustmentOf({ direction: 'less', amount: 1200n })).toBe(-1200n);
    expect(adjustmentOf({ direction: 'none', amount: 1200n })).toBeNull();
    expect(adjustmentOf({ amount: 1200n })).toBeNull();
    expect(read(disputeReplyForm, { message: 'Vu', direction: 'more', amount: '10000,01' })).toEqual(['amount']);
    expect(read(disputeReplyForm, { message: 'Vu', direction: 'less', amount: '' })).toEqual(['amount']);
    expect(read(disputeReplyForm, { message: 'Vu', direction: 'less', amount: '10000' })).toMatchObject({
      amount: 1_000_000n,
    });
    expect(read(disputeReplyForm, { message: 'Vu', direction: 'none', amount: '' })).toMatchObject({ amount: null });
    expect(read(disputeOpeningForm, { entry_id: '12a', message: 'x' })).toEqual(['entry_id']);
  });

  test('[DF-61] a contact is kept, and a referral given, for a reason', () => {
    expect(read(keptContactForm, { sale_id: ID, reason: 'Rappelle en mars' })).toEqual({
      saleId: ID,
      reason: 'Rappelle en mars',
    });
    expect(read(keptContactForm, { sale_id: ID, reason: '' })).toEqual(['reason']);
    expect(read(referralGiftForm, { sale_id: ID, client_id: ID, reason: 'Erreur', seen_version: 1 })).toEqual({
      saleId: ID,
      clientId: ID,
      reason: 'Erreur',
      seenVersion: 1,
    });
  });

  test('[DF-61] a day to call back is a day; empty forgets it', () => {
    const one = { sale_id: ID, private_note: ' À midi ', call_back_on: '2026-11-30' };
    expect(read(followUpForm, one)).toEqual({ saleId: ID, privateNote: 'À midi', callBackOn: '2026-11-30' });
    expect(read(followUpForm, { ...one, call_back_on: '', private_note: '' })).toEqual({
      saleId: ID,
      privateNote: null,
      callBackOn: null,
    });
    expect(read(followUpForm, { ...one, call_back_on: '2026-02-30' })).toEqual(['call_back_on']);
    expect(read(newsRequestForm, { sale_id: 'x' })).toEqual(['sale_id']);
  });

  test('[DF-61] rules are published with the version that was seen', () => {
    expect(read(rulesDraftForm, { body: '' })).toEqual({ body: null });
    expect(read(rulesPublicationForm, { body: 'Article 1', seen_version: 0 })).toEqual({
      body: 'Article 1',
      seenVersion: 0,
    });
    expect(read(rulesPublicationForm, { body: ' ', seen_version: '1' })).toEqual(['body', 'seen_version']);
    expect(read(rulesAcceptanceForm, { version: 1.5 })).toEqual(['version']);
  });
});

test('[DF-61] a person’s own choices are among those there are', () => {
  expect(read(noticePreferenceForm, { topic: 'payments', delivery: 'never' })).toEqual({
    topic: 'payments',
    delivery: 'never',
  });
  expect(read(noticePreferenceForm, { topic: 'all', delivery: 'hourly' })).toEqual(['topic', 'delivery']);
  expect(read(firstStepForm, { step: 'nothing', skipped: 'yes' })).toEqual(['step', 'skipped']);
  expect(read(listViewForm, { list: 'ventes', name: ' Mes ventes ', settings: 'tri=created_at' })).toEqual({
    list: 'ventes',
    name: 'Mes ventes',
    settings: 'tri=created_at',
  });
  expect(read(listViewForm, { list: 'Ventes', name: 'a\nb', settings: 'é' })).toEqual(['list', 'name', 'settings']);
});

test('[DF-31] a file is read as the person says, where they say it', () => {
  expect(read(tableChoiceForm, {})).toEqual({ header: null, choice: {} });
  expect(read(tableChoiceForm, { sheet: 'A', header: '0', separator: '\t', encoding: 'cp850' })).toEqual({
    header: 0,
    choice: { sheet: 'A', separator: '\t', encoding: 'cp850' },
  });
  expect(read(tableChoiceForm, { header: 'x', separator: 'x', encoding: 'x' })).toEqual([
    'header',
    'separator',
    'encoding',
  ]);
});
