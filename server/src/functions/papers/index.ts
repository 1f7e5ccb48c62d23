import { id } from '@parrain/domain/forms/fields';
import { companyIdentityForm, payeeForm } from '@parrain/domain/forms/payee';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { payeeDetailsSaved, settingsSaved } from '@parrain/domain/messages';
import type { Role } from '@parrain/domain/role';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { Answer, ProductFunction, UserCall } from '../call.ts';

/** PP-01: what papers say of the company and of a payee. A payee reads and writes their own, an admin everybody's. */
export default {
  company: { method: 'GET', callers: ['admin'], run: readCompany },
  update_company: { callers: ['admin'], run: updateCompany },
  payee: { callers: ['admin', 'commercial', 'client'], run: readPayee },
  update_payee: { callers: ['admin', 'commercial', 'client'], run: updatePayee },
} satisfies ProductFunction;

/** Null where the company has never said who it is: no paper is made. */
async function readCompany(call: UserCall): Promise<Answer> {
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.paper_settings_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data ?? null });
}

async function updateCompany(call: UserCall): Promise<Answer> {
  const { issuesPapers, legalName, address, siren, vatNumber } = parsePayload(companyIdentityForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ data: unknown }>(call.identity, {
    text: 'select private.set_paper_settings($1, $2, $3, $4, $5, $6, $7) as data',
    values: [issuesPapers, legalName, address.street, address.postalCode, address.city, siren, vatNumber],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0]?.data });
}

const named = z.object({ payee_id: id('Indiquez le bénéficiaire.') });

type ShownPayee = { readonly role: Role };

async function readPayee(call: UserCall): Promise<Answer> {
  const { payee_id: payeeId } = parsePayload(named, call.body ?? {});
  const { rows } = await call.db.queryAs<{ data: ShownPayee }>(call.identity, {
    text: 'select private.payee_shown($1) as data',
    values: [payeeId],
  });
  return answer({ success: true, data: rows[0]?.data });
}

/** Which statuses may be chosen is a matter of the payee's role, which their row says. */
async function updatePayee(call: UserCall): Promise<Answer> {
  const { payee_id: payeeId } = parsePayload(named, call.body ?? {});
  return call.db.transactionAs(call.identity, async (tx) => {
    const shown = await tx.query<{ data: ShownPayee }>('select private.payee_shown($1) as data', [payeeId]);
    const role = shown.rows[0]?.data.role ?? call.role;
    const { status, legalName, address, siren, rna, chargesVat, vatNumber } = parsePayload(payeeForm(role), call.body);
    const { street = null, postalCode = null, city = null } = address ?? {};
    const { rows } = await tx.query<{ data: ShownPayee }>(
      'select private.set_payee_details($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as data',
      [payeeId, status, legalName, street, postalCode, city, siren, rna, chargesVat, vatNumber],
    );
    return answer({ success: true, message: payeeDetailsSaved, data: rows[0]?.data });
  });
}
