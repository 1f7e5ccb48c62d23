import { describe, expect, test } from 'vitest';
import { apiKeyState, isApiKeyScope } from './api-key.ts';
import { holdsFromWire, holdSentence } from './cleaning.ts';
import { contactMonthsText } from './contact-months.ts';
import { csvPlain, csvText } from './csv.ts';
import { adjustmentOutOfRange, formatSignedEuros } from './dispute.ts';
import { doubtfulCaseMoves } from './doubt.ts';
import { das2Thresholds, vatRates } from './legal-figures.ts';
import { legalReferences, referenceOn } from './legal-references.ts';
import { isPaymentAct, paidByLabel } from './payment-made.ts';
import { proofTypeOf } from './payment-proof.ts';
import { mailGroups, mailKindOf, mailKinds, mailState, templatesOf } from './sent-mail.ts';
import { unreadableSentence } from './table-file.ts';
import { french } from './typography.ts';
import { unreachable } from './unreachable.ts';

// Small files of the domain by values: what each says, not how.

test('[DF-61] a key is revoked whatever its end, over from its end on, alive before', () => {
  const now = Date.parse('2026-11-26T12:00:00Z');
  const key = (expiresAt: string | null, revokedAt: string | null = null) => apiKeyState({ expiresAt, revokedAt }, now);
  expect(key(null)).toBe('alive');
  expect(key('2026-11-26T12:00:01Z')).toBe('alive');
  expect(key('2026-11-26T12:00:00Z')).toBe('expired');
  expect(key('2030-01-01T00:00:00Z', '2026-01-01T00:00:00Z')).toBe('revoked');
  expect(['read', 'referrals', 'payments', 'admin', '', null].map(isApiKeyScope)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('[DF-61] what holds a cleaning is counted and named, and any other shape is nothing', () => {
  expect(holdSentence({ kind: 'sales', number: 1, examples: ['Ana Prévost'] })).toBe(
    '1 vente réelle tient à une personne de test (Ana Prévost)',
  );
  expect(holdSentence({ kind: 'clients', number: 3, examples: ['Ana', 'Paul'] })).toBe(
    '3 clients réels sont suivis par un commercial de test : rattachez-les à un autre commercial (Ana, Paul, …)',
  );
  expect(holdSentence({ kind: 'requests', number: 2, examples: [] })).toBe(
    '2 demandes de paiement réelles reposent sur des données de test',
  );
  const hold = { kind: 'scales', number: 2, examples: [] };
  expect(holdsFromWire([hold])).toEqual([hold]);
  for (const wrong of [null, 'x', {}, [{ kind: 'other', number: 1, examples: [] }]])
    expect(holdsFromWire(wrong)).toEqual([]);
});

test('[DF-61] months that are years are said as years', () => {
  expect([6, 12, 18, 24, 36].map(contactMonthsText)).toEqual(['6 mois', 'un an', '18 mois', 'deux ans', 'trois ans']);
});

describe('a cell of a CSV', () => {
  test.for([
    ['=1+1', "'=1+1"],
    ['+33612345678', "'+33612345678"],
    ['-1', "'-1"],
    ['@nom', "'@nom"],
    ['＝1', "'＝1"],
    ["'=1", "''=1"],
    ["l'ami", "l'ami"],
    ["'tis", "'tis"],
    ['', ''],
    ['a;b', '"a;b"'],
    ['dit « "oui" »', '"dit « ""oui"" »"'],
    ['=a;"b"', `"'=a;""b"""`],
  ] as const)('[DF-61] « %s » is written « %s »', ([text, cell]) => {
    expect(csvText(text)).toBe(cell);
  });

  test('[DF-32] is read as it was before it was written', () => {
    for (const text of ['=1', "'=1", "''=1", '+33', "l'ami", "'", "''", "'tis", '-', '＠x']) {
      expect(csvPlain(csvText(text))).toBe(text);
    }
  });
});

test('[DF-61] an adjustment has its sign, and its bounds are said with what was given', () => {
  expect(formatSignedEuros(3000n)).toBe('+30,00\u00a0€');
  expect(formatSignedEuros(0n)).toBe('0,00\u00a0€');
  expect(formatSignedEuros(-3000n)).toMatch(/^[-−]30,00\u00a0€$/u);
  expect(adjustmentOutOfRange(1234n)).toContain('12,34');
  expect(adjustmentOutOfRange(1234n)).toContain('10\u202f000,00');
});

test('[DF-61] a case is decided once, and a confirmed one may still be cleared', () => {
  expect(doubtfulCaseMoves).toEqual({ open: ['cleared', 'confirmed'], confirmed: ['cleared'], cleared: [] });
});

test('[DF-61] the figures of the law are those of their sources, the latest first', () => {
  expect(das2Thresholds.map(({ fromYear, above }) => [fromYear, above])).toEqual([
    [2024, 240_000n],
    [0, 120_000n],
  ]);
  expect(vatRates.map(({ fromDay, rate }) => [fromDay, rate])).toEqual([['2014-01-01', 2000n]]);
});

test('[DF-61] money leaves as a request’s or a month’s', () => {
  expect(['settlement', 'payroll', 'return', 'gift'].map(isPaymentAct)).toEqual([true, true, true, false]);
  expect(paidByLabel('paie')).toBe('Commissions du mois');
  expect(paidByLabel('virement')).not.toBe('virement');
});

test('[DF-61] a proof is a PDF or a picture by its content, never an SVG', () => {
  const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  expect(proofTypeOf(bytes('%PDF-1.7'))).toBe('application/pdf');
  expect(proofTypeOf(bytes('\u0089PNG\r\n\u001a\n0000'))).toBe('image/png');
  expect(proofTypeOf(bytes('\u00ff\u00d8\u00ff\u00e0'))).toBe('image/jpeg');
  for (const other of ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'PDF', '', ' %PDF-1.7']) {
    expect(proofTypeOf(bytes(other))).toBeNull();
  }
});

describe('a mail', () => {
  test.for([
    ['queued', 0, 'waiting'],
    ['queued', 1, 'retried'],
    ['sending', 1, 'sending'],
    ['failed', 11, 'refused'],
    ['failed', 12, 'given_up'],
    ['accepted', 3, 'accepted'],
    ['withdrawn', 0, 'withdrawn'],
  ] as const)('[DF-61] that is %s after %i tries is %s', ([status, attempts, state]) => {
    expect(mailState({ status, attempts })).toBe(state);
  });

  test('[DF-61] of a kind that nobody knows is taken for a secret; each kind stands in one group', () => {
    expect(mailKindOf('of-tomorrow')).toEqual({ label: 'Message', group: 'system', isSecret: true });
    expect(mailKindOf('recovery').isSecret).toBe(true);
    expect(mailKindOf('notice-contract_validated')).toEqual({
      label: 'Contrat validé',
      group: 'news',
      isSecret: false,
    });
    expect(mailGroups.flatMap(templatesOf).toSorted()).toEqual(Object.keys(mailKinds).toSorted());
    expect(templatesOf('system')).toEqual(['alarm', 'trial']);
  });
});

test('[DF-61] French spaces are put and no letter is changed', () => {
  expect(french('Prêt ? Oui ! « Bien » : 30 € ; 5 %')).toBe(
    'Prêt\u202f? Oui\u202f! «\u00a0Bien\u00a0»\u00a0: 30\u00a0€\u202f; 5\u00a0%',
  );
});

test('[DF-31] a file that is no table is said to be what it is, with the line where there is one', () => {
  expect(unreadableSentence('pdf', null)).toBe('Ce fichier est un PDF');
  expect(unreadableSentence('quote', 12)).toBe('Un guillemet ouvert n’est jamais fermé (ligne 12)');
  expect(unreadableSentence(undefined, undefined)).toBe('Ce fichier n’est pas reconnu');
});

test('[DF-61] a case that the compiler missed is no silence', () => {
  expect(() => unreachable('x' as never)).toThrow('x');
});

test('[AC-07] a reference to the law is chosen by the day of the paper; the CGI’s stands as long as the CIBS’ is not known', () => {
  const rows = [
    { fromDay: '2028-01-01', words: 'nouveau', source: '' },
    { fromDay: '0001-01-01', words: 'ancien', source: '' },
  ];
  expect(['2027-12-31', '2028-01-01'].map((day) => referenceOn(day, rows))).toEqual(['ancien', 'nouveau']);
  expect(() => referenceOn('2027-12-31', rows.slice(0, 1))).toThrow('No reference');
  for (const references of Object.values(legalReferences)) {
    const days = references.map(({ fromDay }) => fromDay);
    expect(days).toEqual(days.toSorted((a, b) => (a < b ? 1 : -1)));
    expect(days.at(-1)).toBe('0001-01-01');
  }
  expect(referenceOn('2026-09-01', legalReferences.vatExemption)).toBe('TVA non applicable, art. 293 B du CGI');
});
