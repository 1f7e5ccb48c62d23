import { accountingClosureForm, accountingForm } from '@parrain/domain/forms/accounting';
import { accountingCodeForm } from '@parrain/domain/forms/accounting-code';
import { das2SettingsForm } from '@parrain/domain/forms/das2';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { settingsSaved } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';

const journal: Edited = {
  name: () => 'accounting',
  read: async (tx) => {
    const { rows } = await tx.query<{ data: Record<string, unknown> }>('select private.accounting_shown() as data');
    return rows[0]?.data;
  },
};

const das2: Edited = {
  name: () => 'das2',
  read: async (tx) => {
    const { rows } = await tx.query<{ data: Record<string, unknown> }>('select private.das2_settings_shown() as data');
    return rows[0]?.data;
  },
};

/** EX-02: the journal's name and accounts, and the closing of its months. AC-02: the codes of payees. PP-04: which payments count in the DAS2. AC-10: who is regular. */
export default {
  get: { method: 'GET', callers: ['admin', 'comptable'], run: getAccounting },
  update_settings: { callers: ['admin'], run: keepingOthers(journal, updateSettings) },
  codes: { method: 'GET', callers: ['admin', 'comptable'], run: getCodes },
  set_code: { callers: ['admin'], run: setCode },
  close_months: { callers: ['admin'], run: closeMonths },
  das2: { method: 'GET', callers: ['admin', 'comptable'], run: getDas2 },
  update_das2: { callers: ['admin'], run: keepingOthers(das2, updateDas2) },
  deal_with_regularity: { callers: ['admin'], run: dealWithRegularity },
} satisfies ProductFunction;

async function getAccounting(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: object }>(
    call.identity,
    { text: 'select private.accounting_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

async function updateSettings(call: UserCall): Promise<FunctionResponse> {
  const said = parsePayload(accountingForm, call.body ?? {});
  await call.db.queryAs(call.identity, {
    text: 'select private.set_accounting($1, $2, $3, $4, $5, $6, $7)',
    values: [
      said.journalCode,
      said.journalLabel,
      said.accounts,
      said.postsPayments ?? null,
      said.postsPayroll ?? null,
      said.accrues ?? null,
      said.yearEndsIn ?? null,
    ],
  });
  return answer({ success: true, message: settingsSaved });
}

const codeSearch = z.object({ search: z.optional(z.string().check(z.maxLength(200))) });

/** Payees of the journal with their codes, the first fifty by name that a search finds (AC-02). */
async function getCodes(call: UserCall): Promise<FunctionResponse> {
  const { search } = parsePayload(codeSearch, call.request.query as Record<string, unknown>);
  const { rows } = await call.db.queryAs(
    call.identity,
    { text: 'select * from private.accounting_codes_shown($1)', values: [search ?? ''] },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

async function setCode(call: UserCall): Promise<FunctionResponse> {
  const { payeeId, code } = parsePayload(accountingCodeForm, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.set_accounting_code($1, $2)', values: [payeeId, code] });
  return answer({ success: true });
}

/** Every month up to one that is over: what is closed never changes again. */
async function closeMonths(call: UserCall): Promise<FunctionResponse> {
  const { until } = parsePayload(accountingClosureForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ closed: number }>(call.identity, {
    text: 'select private.close_accounting_months($1) as closed',
    values: [until],
  });
  return answer({ success: true, closed: rows[0]?.closed ?? 0 });
}

async function getDas2(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: object }>(
    call.identity,
    { text: 'select private.das2_settings_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

async function updateDas2(call: UserCall): Promise<FunctionResponse> {
  const { countsGiftCards, countsDiscounts, regularFrom } = parsePayload(das2SettingsForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ data: object }>(call.identity, {
    text: 'select private.set_das2_settings($1, $2, $3) as data',
    values: [countsGiftCards, countsDiscounts, regularFrom],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0]?.data });
}

const regular = z.object({ payee_id: id('Indiquez le bénéficiaire.') });

/** An admin has dealt with a regular particulier, of whom they hear no more until the year ends or the status changes. */
async function dealWithRegularity(call: UserCall): Promise<FunctionResponse> {
  const { payee_id: payeeId } = parsePayload(regular, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.deal_with_regularity($1)', values: [payeeId] });
  return answer({ success: true });
}
