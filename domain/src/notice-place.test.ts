import { expect, test } from 'vitest';
import { noticePlace, placePath } from './notice-place.ts';
import { noticeKinds, noticeTopicOf, type NoticeKind } from './notice.ts';
import type { Role } from './role.ts';

const none = { saleId: null, requestId: null, disputeId: null };

test.for<[NoticeKind, Role, object, string, object]>([
  ['referral_received', 'commercial', { saleId: 's' }, 'parrainages-recus', { parrainage: 's' }],
  ['referral_late', 'commercial', { saleId: 's' }, 'parrainages-recus', { parrainage: 's' }],
  ['referral_still_late', 'admin', { saleId: 's' }, 'ventes', { vente: 's' }],
  ['referral_contacted', 'client', { saleId: 's' }, 'mes-parrainages', { parrainage: 's' }],
  ['referrals_imported', 'commercial', {}, 'parrainages-recus', {}],
  ['contacts_to_erase', 'admin', {}, 'ventes', {}],
  ['contract_to_validate', 'admin', { saleId: 's' }, 'validations', { vente: 's' }],
  ['contract_validated', 'commercial', { saleId: 's' }, 'parrainages-recus', { parrainage: 's' }],
  ['contract_validated', 'client', { saleId: 's' }, 'mes-parrainages', { parrainage: 's' }],
  ['correction_asked', 'commercial', { saleId: 's' }, 'parrainages-recus', { parrainage: 's' }],
  ['contract_annulled', 'commercial', { saleId: 's' }, 'contrats-d-affiliation', {}],
  ['contract_annulled', 'client', { saleId: 's' }, 'contrats-valides', {}],
  ['payment_to_decide', 'admin', { requestId: 'r' }, 'demandes-de-paiement', { demande: 'r' }],
  ['payment_paid', 'client', { requestId: 'r' }, 'demandes-de-paiement', { demande: 'r' }],
  ['month_rejected', 'commercial', {}, 'mon-compte', {}],
  ['month_returned', 'commercial', { requestId: 'r' }, 'mon-compte', {}],
  ['dispute_opened', 'admin', { disputeId: 'd' }, 'controle-des-comptes', { contestation: 'd' }],
  ['dispute_answered', 'commercial', { disputeId: 'd' }, 'mon-compte', { contestation: 'd' }],
  ['dispute_closed', 'client', { disputeId: 'd' }, 'mes-commissions', { contestation: 'd' }],
  ['archive_ready', 'admin', {}, 'reglages', { bloc: 'donnees' }],
  ['archive_failed', 'admin', {}, 'reglages', { bloc: 'donnees' }],
])('[DF-61] « %s » is followed up by the %s where they work it', ([kind, role, about, section, detail]) => {
  expect(noticePlace({ kind, role, ...none, ...about })).toEqual({ section, detail });
});

test('[DF-61] the address of a place is that of the role’s dashboard, with its record', () => {
  expect(placePath('client', { section: 'mes-parrainages', detail: { parrainage: 'a b' } })).toBe(
    '/client/dashboard?section=mes-parrainages&parrainage=a+b',
  );
});

test('[DF-61] each notice has the topic that its person chooses by', () => {
  const kindsOf = (topic: string) => noticeKinds.filter((kind) => noticeTopicOf[kind] === topic);
  expect(kindsOf('data')).toEqual(['archive_ready', 'archive_failed']);
  expect(kindsOf('contracts')).toEqual([
    'contract_to_validate',
    'contract_validated',
    'contract_refused',
    'contract_annulled',
    'correction_asked',
  ]);
  expect(kindsOf('referrals')).toEqual([
    'referral_received',
    'referral_contacted',
    'referral_in_negotiation',
    'referral_signed',
    'referral_refused',
    'referral_late',
    'referral_still_late',
    'call_back_due',
    'news_asked',
    'call_agreed',
    'call_declined',
    'friend_said_no',
    'contacts_to_erase',
    'appointment_asked',
    'referrals_imported',
    'client_alone',
    'commercial_asked',
    'client_received',
    'commercial_given',
  ]);
  // A line of an account that is questioned is about money, like a month that the bank sent back.
  expect(kindsOf('payments')).toHaveLength(noticeKinds.length - 26);
  expect(kindsOf('payments')).toEqual(
    expect.arrayContaining(['dispute_opened', 'month_returned', 'adjustment_annulled']),
  );
});
