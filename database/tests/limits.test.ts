import { afterAll, beforeAll, expect, test } from 'vitest';

import * as limits from '@parrain/domain/forms/limits';
import { logoBytesMax } from '@parrain/domain/forms/logo';

import { createTestDatabase } from '../src/testing.ts';
import type { TestDatabase } from '../src/testing.ts';

// The lengths that forms and constraints hold have one source: domain/src/forms/limits.ts.

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db.drop());

test.each([
  ['public.profiles', 'full_name', limits.nameLengthMax],
  ['public.profiles', 'email', limits.emailLengthMax],
  ['public.profiles', 'company', limits.companyLengthMax],
  ['public.profiles', 'notes', limits.notesLengthMax],
  ['public.company_settings', 'company_name', limits.companyLengthMax],
  ['public.commission_rates', 'name', limits.nameLengthMax],
  ['public.commission_rates', 'description', limits.notesLengthMax],
  ['public.sales', 'referred_contact_name', limits.nameLengthMax],
  ['public.sales', 'referred_contact_email', limits.emailLengthMax],
  ['public.sales', 'personal_message', limits.personalMessageLengthMax],
  ['public.sales', 'contract_description', limits.contractDescriptionLengthMax],
  ['public.sales', 'commercial_notes', limits.notesLengthMax],
  ['public.external_references', 'source', limits.sourceLengthMax],
  ['public.external_references', 'reference', limits.referenceLengthMax],
  ['public.payment_requests', 'admin_notes', limits.notesLengthMax],
  // V-05: a refusal's reason may come in the admin's notes.
  ['public.payment_requests', 'rejection_reason', limits.notesLengthMax],
  ['public.payment_requests', 'approval_annulled_reason', limits.reasonLengthMax],
  ['public.account_closure_requests', 'personal_message', limits.reasonLengthMax],
  ['public.account_closure_requests', 'notes', limits.reasonLengthMax],
  ['private.appointment_requests', 'name', limits.nameLengthMax],
  ['private.appointment_requests', 'email', limits.emailLengthMax],
  ['private.appointment_requests', 'message', limits.notesLengthMax],
  ['auth.users', 'email', limits.emailLengthMax],
  ['auth.users', 'new_email', limits.emailLengthMax],
  ['storage.objects', 'size', logoBytesMax],
])('[FX-06] %s.%s takes at most %i, as the forms do', async (table, column, most) => {
  expect(await boundOf(table, column)).toBe(most);
});

// Forms refuse first: the constraint is what no door may pass, not what a person is told.
test.each([
  ['public.profiles', 'phone', limits.phoneLengthMax],
  ['public.sales', 'referred_contact_phone', limits.phoneLengthMax],
  ['private.appointment_requests', 'phone', limits.phoneLengthMax],
  ['public.sales', 'rejection_reason', limits.reasonLengthMax],
  ['public.sales', 'correction_reason', limits.reasonLengthMax],
  ['auth.factors', 'friendly_name', limits.factorNameLengthMax],
])('[FX-06] %s.%s takes all that the forms take, %i, and has a bound of its own', async (table, column, most) => {
  expect(await boundOf(table, column)).toBeGreaterThan(most);
});

/** The smallest length that a constraint of the table allows the column; undefined for none. */
async function boundOf(table: string, column: string): Promise<number | undefined> {
  const rows = await db.asOwner<{ definition: string; named: string }>(
    `select pg_get_constraintdef(k.oid) as definition,
       (select prosrc || coalesce(pg_get_function_sqlbody(p.oid), '') from pg_proc p
         where p.oid = to_regproc('private.' || substring(pg_get_constraintdef(k.oid) from 'is_(?:company_)?name'))) as named
     from pg_constraint k join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
     where k.conrelid = $1::regclass and k.contype = 'c' and a.attname = $2`,
    [table, column],
  );
  const bounds = rows.flatMap(({ definition, named }) => {
    // A name's own length stands in the function that all names share.
    const text = new RegExp(String.raw`is_(?:company_)?name\(${column}\)`, 'u').test(definition) ? named : definition;
    const pattern = text === named ? /is_line\([^,]+, (\d+)\)/gu : boundPattern(column);
    return [...text.matchAll(pattern)].map(([, most]) => Number(most));
  });
  return bounds.length === 0 ? undefined : Math.min(...bounds);
}

/** `is_line(email, 255)`, `is_text(notes, 2000)`, `length(message) <= 500`, `size <= 5242880`. */
function boundPattern(column: string): RegExp {
  return new RegExp(String.raw`(?:is_(?:line|text)\(${column}, |\b${column}\)? <= )(\d+)`, 'gu');
}
