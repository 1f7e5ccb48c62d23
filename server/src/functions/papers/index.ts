import { id } from '@parrain/domain/forms/fields';
import { euVatNumberIn } from '@parrain/domain/country';
import { companyIdentityForm, payeeForm } from '@parrain/domain/forms/payee';
import { Failure } from '@parrain/domain/failure';
import { mandateText, mandateVersionOf } from '@parrain/domain/mandate';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import {
  mandateAccepted,
  mandateRevoked,
  payeeDetailsSaved,
  settingsSaved,
  vatAccepted,
} from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import { payeeStatusLabels } from '@parrain/domain/payee';
import type { Role } from '@parrain/domain/role';
import * as z from 'zod/mini';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';
import { askVatRegister } from './vat-register.ts';

const paperSettings: Edited = {
  name: () => 'paper-settings',
  read: async (tx) => {
    const { rows } = await tx.query<{ data: Record<string, unknown> | null }>(
      'select private.paper_settings_shown() as data',
    );
    return rows[0]?.data ?? undefined;
  },
};

const payees: Edited = {
  labels: { status: payeeStatusLabels },
  name: ({ body }) => `payee:${String(body?.['payee_id'])}`,
  read: async (tx, { body }) => {
    const { payee_id: payeeId } = parsePayload(named, body ?? {});
    const { rows } = await tx.query<{ data: ShownPayee }>('select private.payee_shown($1) as data', [payeeId]);
    return rows[0]?.data.details as Record<string, unknown> | undefined;
  },
};

/**
 * PP-01: what papers say of the company and of a payee. A payee reads and writes their own, an admin everybody's. PP-05: the mandate
 * of self-billing is the payee's own to accept and to revoke. DF-23: the VAT that they declare is an admin's to accept.
 */
export default {
  company: { method: 'GET', callers: ['admin'], run: readCompany },
  update_company: { callers: ['admin'], run: keepingOthers(paperSettings, updateCompany) },
  payee: { callers: ['admin', 'commercial', 'client'], run: readPayee },
  update_payee: {
    callers: ['admin', 'commercial', 'client'],
    run: withKnownNumber(keepingOthers(payees, updatePayee)),
  },
  accept_mandate: { callers: ['commercial', 'client'], run: acceptMandate },
  revoke_mandate: { callers: ['commercial', 'client'], run: revokeMandate },
  accept_vat: { callers: ['admin'], run: acceptVat },
} satisfies ProductFunction;

/** Null where the company has never said who it is: no paper is made. */
async function readCompany(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.paper_settings_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data ?? null });
}

async function updateCompany(call: UserCall): Promise<FunctionResponse> {
  const said = parsePayload(companyIdentityForm, call.body ?? {});
  const { issuesPapers, contestDays, legalName, address, siren, siret, legalForm, capital, registryCity } = said;
  const { rows } = await call.db.queryAs<{ data: unknown }>(call.identity, {
    text: 'select private.set_paper_settings($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as data',
    values: [
      issuesPapers,
      legalName,
      address.street,
      address.postalCode,
      address.city,
      siren,
      said.vatNumber,
      contestDays,
      siret,
      legalForm,
      capital === null ? null : toWire(capital),
      registryCity,
      said.vatFranchise ?? null,
    ],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0]?.data });
}

const named = z.object({ payee_id: id('Indiquez le bénéficiaire.') });

type ShownPayee = {
  readonly role: Role;
  readonly details: ShownParty | null;
  /** The company, where a mandate may be given to it. */
  readonly mandatary: ShownParty | null;
  readonly company_siren: string | null;
};

type ShownParty = {
  readonly legal_name: string;
  readonly street: string;
  readonly postal_code: string;
  readonly city: string;
  readonly siren: string;
  /** Of a payee alone. */
  readonly vat_number?: string | null;
};

async function readPayee(call: UserCall): Promise<FunctionResponse> {
  const { payee_id: payeeId } = parsePayload(named, call.body ?? {});
  const { rows } = await call.db.queryAs<{ data: ShownPayee }>(
    call.identity,
    { text: 'select private.payee_shown($1) as data', values: [payeeId] },
    { readOnly: true },
  );
  const shown = rows[0]?.data;
  return answer({ success: true, data: shown && withMandate(shown) });
}

/** AC-08: a VAT number of another country of the European Union that its register does not know is refused, where it is asked. */
function withKnownNumber(update: (call: UserCall) => Promise<FunctionResponse>) {
  return async (call: UserCall): Promise<FunctionResponse> => {
    const typed = call.body?.['number_abroad'];
    const number = typeof typed === 'string' ? euVatNumberIn(typed) : null;
    // Asked before anything is locked: the register may take its time, or be silent.
    if (number !== null && (await askVatRegister(call.services.config.vatRegisterUrl, number)) === 'unknown') {
      throw new Failure('vat_number_unknown');
    }
    return update(call);
  };
}

/** Updates a payee's legal details. The statuses to choose from depend on the payee's role, which their row gives. */
async function updatePayee(call: UserCall): Promise<FunctionResponse> {
  const { payee_id: payeeId } = parsePayload(named, call.body ?? {});
  return call.db.transactionAs(call.identity, async (tx) => {
    const shown = await tx.query<{ data: ShownPayee }>('select private.payee_shown($1) as data', [payeeId]);
    const { role = call.role, company_siren: companySiren = null } = shown.rows[0]?.data ?? {};
    const details = parsePayload(payeeForm(role, { asksMentions: false, companySiren }), call.body);
    const { status, legalName, address, siren, rna, chargesVat, vatNumber, country, numberAbroad } = details;
    const names = [details.firstName, details.lastName];
    const { street = null, postalCode = null, city = null } = address ?? {};
    const { rows } = await tx.query<{ data: ShownPayee }>(
      'select private.set_payee_details($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) as data',
      [
        payeeId,
        status,
        legalName,
        street,
        postalCode,
        city,
        siren,
        rna,
        chargesVat,
        vatNumber,
        ...names,
        details.siret,
        details.legalForm,
        details.capital === null ? null : toWire(details.capital),
        details.registryCity,
        country,
        numberAbroad,
      ],
    );
    const saved = rows[0]?.data;
    return answer({ success: true, message: payeeDetailsSaved, data: saved && withMandate(saved) });
  });
}

function withMandate(shown: ShownPayee) {
  return { ...shown, mandate_offered: offeredMandate(shown) };
}

/** The text that this payee may accept today; null where none is asked for. */
function offeredMandate({ details, mandatary }: ShownPayee): string | null {
  return details === null || mandatary === null ? null : mandateText(partyOf(details), partyOf(mandatary));
}

function partyOf({
  legal_name: legalName,
  street,
  postal_code: postalCode,
  city,
  siren,
  vat_number: vatNumber,
}: ShownParty) {
  return { legalName, address: { street, postalCode, city }, siren, vatNumber: vatNumber ?? null };
}

const readMandate = z.object({ seen_text: z.string() });

/** Accepts the text that was read, where it is still the one that is offered. */
async function acceptMandate(call: UserCall): Promise<FunctionResponse> {
  const { seen_text: seen } = parsePayload(readMandate, call.body ?? {});
  return call.db.transactionAs(call.identity, async (tx) => {
    const shown = await tx.query<{ data: ShownPayee }>('select private.payee_shown($1) as data', [call.userId]);
    const payee = shown.rows[0]?.data;
    const offered = payee === undefined ? null : offeredMandate(payee);
    if (payee === undefined || offered === null) throw new Failure('mandate_not_offered');
    if (seen !== offered) throw new Failure('mandate_changed');
    await tx.query('select private.accept_mandate($1, $2)', [
      mandateVersionOf({ vatNumber: payee.details?.vat_number ?? null }),
      offered,
    ]);
    return answer({ success: true, message: mandateAccepted });
  });
}

const acceptedVat = z.object({ payee_id: id('Indiquez le bénéficiaire.'), vat_number: z.string() });

/** DF-23: from now on what is asked for carries its VAT. A number that the European register does not know is refused, where it is asked. */
async function acceptVat(call: UserCall): Promise<FunctionResponse> {
  const { payee_id: payeeId, vat_number: vatNumber } = parsePayload(acceptedVat, call.body ?? {});
  const declared = await call.db.queryAs<{ data: ShownPayee }>(call.identity, {
    text: 'select private.payee_shown($1) as data',
    values: [payeeId],
  });
  // Nobody is asked about another number than the one that is declared.
  if (declared.rows[0]?.data.details?.vat_number !== vatNumber) throw new Failure('vat_changed');
  const said = await askVatRegister(call.services.config.vatRegisterUrl, vatNumber);
  if (said === 'unknown') throw new Failure('vat_number_unknown');
  const { rows } = await call.db.queryAs<{ data: ShownPayee }>(call.identity, {
    text: 'select private.accept_vat($1, $2, $3) as data',
    values: [payeeId, vatNumber, said],
  });
  const shown = rows[0]?.data;
  return answer({ success: true, message: vatAccepted, data: shown && withMandate(shown) });
}

async function revokeMandate(call: UserCall): Promise<FunctionResponse> {
  await call.db.queryAs(call.identity, { text: 'select private.revoke_mandate()' });
  return answer({ success: true, message: mandateRevoked });
}
