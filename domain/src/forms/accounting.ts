import * as z from 'zod/mini';
import { accountFamilies, accountUses, type AccountingSettings, type AccountUse, type Chart } from '../accounting.ts';
import { isLine } from '../name.ts';
import { isDay } from '../period.ts';
import { refuse } from './fields.ts';
import { requiredCount } from './optional-count.ts';

const text = (pattern: RegExp, message: string) =>
  z.pipe(
    z.string({ error: message }),
    z.transform((value, context): string => {
      const trimmed = value.trim().toUpperCase();
      return pattern.test(trimmed) ? trimmed : refuse(context, message);
    }),
  );
const label = (message: string) =>
  z.pipe(
    z.string({ error: message }),
    z.transform((value, context): string => {
      const trimmed = value.trim();
      return trimmed !== '' && trimmed.length <= 100 && isLine(trimmed) ? trimmed : refuse(context, message);
    }),
  );

const NUMBER = 'Indiquez un compte du plan comptable\u00a0: trois chiffres au moins, de la classe 1 à 7.';

/** The account of a use, of the class that it needs; spaces between the digits are the accountant’s way to write it. */
function accountOf(use: AccountUse) {
  const { pattern, words } = accountFamilies[use];
  return z.object({
    number: z.pipe(
      z.string({ error: NUMBER }),
      z.transform((value, context): string => {
        const number = value.replaceAll(/\s/gu, '').toUpperCase();
        if (!/^[1-7]\d{2}[\dA-Z]{0,9}$/u.test(number)) return refuse(context, NUMBER);
        return pattern.test(number) ? number : refuse(context, `Indiquez ${words}.`);
      }),
    ),
    label: label('Indiquez le libellé du compte, en 100 caractères au plus.'),
  });
}

const YEAR_END = 'Indiquez le mois de clôture de l’exercice, de 1 à 12.';

/** Settings as they are said: one that is left out stays as it is. */
type SaidSettings = Pick<AccountingSettings, 'journalCode' | 'journalLabel' | 'accounts'> & {
  readonly [Key in keyof AccountingSettings]: AccountingSettings[Key] | undefined;
};

/** Accounts of a payee abroad (AC-08), and of tax that waits (AC-02), which a client from before does not say: they stay as they are. */
function isLater(use: AccountUse): boolean {
  return use.startsWith('vat_eu') || use.startsWith('vat_abroad') || use === 'vat_waiting';
}

/** The journal's name and accounts, as the settings and the wire write them (EX-02). */
export const accountingForm = z.pipe(
  z.object({
    journal_code: text(/^[\dA-Z]{1,10}$/u, 'Indiquez un code de 1 à 10 lettres ou chiffres.'),
    journal_label: label('Indiquez le nom du journal, en 100 caractères au plus.'),
    accounts: z.object(
      Object.fromEntries(accountUses.map((use) => [use, isLater(use) ? z.optional(accountOf(use)) : accountOf(use)])),
    ),
    posts_payments: z.optional(z.boolean({ error: 'Dites si le journal contient les paiements.' })),
    posts_payroll: z.optional(z.boolean({ error: 'Dites si le journal contient les commissions des salariés.' })),
    accrues: z.optional(z.boolean({ error: 'Dites si le journal contient les factures non parvenues.' })),
    year_ends_in: z.optional(requiredCount(12, YEAR_END)),
  }),
  z.transform((form): SaidSettings => ({
    journalCode: form.journal_code,
    journalLabel: form.journal_label,
    accounts: form.accounts as Chart,
    postsPayments: form.posts_payments,
    postsPayroll: form.posts_payroll,
    accrues: form.accrues,
    yearEndsIn: form.year_ends_in,
  })),
);

/** The last month to close, « 2026-10-01 ». */
export const accountingClosureForm = z.pipe(
  z.object({
    until: z.pipe(
      z.string({ error: 'Indiquez le mois à clôturer.' }),
      z.transform((value, context) =>
        isDay(value) && value.endsWith('-01') ? value : refuse(context, 'Indiquez le mois à clôturer.'),
      ),
    ),
  }),
  z.transform((form) => ({ until: form.until })),
);
