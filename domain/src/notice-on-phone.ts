import { formatEuros } from './money.ts';
import { noticeWords, type NoticeFacts, type NoticeWords } from './notice.ts';

/**
 * The words of a notice on a phone, whose screen others see too (UI-16): its receiver's own amount, and nobody's name.
 */
export function wordsOnPhone(facts: NoticeFacts): NoticeWords {
  switch (facts.kind) {
    case 'payment_paid':
      return {
        title: 'Votre argent est parti',
        text: `${facts.amount === null ? 'L’entreprise' : `${formatEuros(facts.amount)} : l’entreprise`} a payé votre demande.`,
      };
    case 'iban_checked':
      return { title: noticeWords(facts).title, text: 'Un administrateur l’a vérifié.' };
    default:
      return noticeWords({ ...facts, contactName: null, personName: null, reason: null });
  }
}

/** Several notices of one instant, as one. */
export function severalOnPhone(notices: readonly NoticeFacts[]): NoticeWords {
  const titles = [...new Set(notices.map((notice) => wordsOnPhone(notice).title))];
  const left = titles.length - TITLES_MAX;
  return {
    title: `${notices.length} nouvelles de votre programme de parrainage`,
    text: [...titles.slice(0, TITLES_MAX), ...(left > 0 ? ['…'] : [])].join(' · '),
  };
}

const TITLES_MAX = 3;
