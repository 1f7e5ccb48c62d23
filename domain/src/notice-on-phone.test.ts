import { expect, test } from 'vitest';
import { noticeKinds, type NoticeFacts } from './notice.ts';
import { severalOnPhone, wordsOnPhone } from './notice-on-phone.ts';
import { roles } from './role.ts';

const facts: Omit<NoticeFacts, 'kind' | 'role'> = {
  saleId: 'a',
  requestId: null,
  contactName: 'Marie Amie',
  personName: 'Paul Parrain',
  amount: 3750n,
  reason: 'Une raison à soi',
  month: '2026-10-01',
  howMany: 3,
};

test('[UI-16] no notice says a name or a reason on a phone, and each says something', () => {
  for (const kind of noticeKinds) {
    for (const role of roles) {
      const { title, text } = wordsOnPhone({ ...facts, kind, role });
      expect(`${kind} ${title} ${text}`).not.toMatch(/Marie|Paul|raison|«\s*»|undefined|\bnull\b/u);
      expect(Math.min(title.length, text.length)).toBeGreaterThan(8);
    }
  }
});

test('[UI-16] « Votre argent est parti » says how much, and several say how many', () => {
  const paid = { ...facts, kind: 'payment_paid', role: 'client' } as const;
  expect(wordsOnPhone(paid)).toEqual({
    title: 'Votre argent est parti',
    text: '37,50\u00a0€ : l’entreprise a payé votre demande.',
  });
  expect(wordsOnPhone({ ...paid, amount: null }).text).toBe('L’entreprise a payé votre demande.');
  const received = { ...facts, kind: 'referral_received', role: 'commercial' } as const;
  expect(wordsOnPhone(received).title).toBe('Nouveau parrainage');
  const kinds = ['call_agreed', 'call_declined', 'news_asked', 'news_asked', 'referral_received'] as const;
  expect(severalOnPhone(kinds.map((kind) => ({ ...received, kind })))).toEqual({
    title: '5 nouvelles de votre programme de parrainage',
    text: 'Un contact accepte d’être appelé · Un contact ne veut pas être appelé · Des nouvelles de votre contact ? · …',
  });
});
