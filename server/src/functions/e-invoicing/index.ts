import { isDeepStrictEqual } from 'node:util';

import { dayOf } from '@parrain/domain/date';
import {
  depositDayToCome,
  eInvoicesMarked,
  eInvoicesNotMarked,
  eInvoicesNotQueued,
  eInvoicesQueued,
  eInvoicingConnected,
  eInvoicingOff,
  eInvoicingOn,
} from '@parrain/domain/e-invoice';
import {
  eInvoicesForm,
  eInvoicingForm,
  elsewhereForm,
  platformSecretMissing,
  platformSirenMissing,
  platformSirenUnknown,
} from '@parrain/domain/forms/e-invoicing';
import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import {
  matchReceivedForm,
  matchReceivedMonthForm,
  receivedInvoiceForm,
  refuseReceivedForm,
  restoreSupplierForm,
} from '@parrain/domain/forms/received-invoice';
import { webhookNotHttps, webhookPrivate } from '@parrain/domain/forms/webhook';
import { Failure } from '@parrain/domain/failure';
import { inputInvalid } from '@parrain/domain/messages';
import { proofTypeOf } from '@parrain/domain/payment-proof';
import {
  receivedAnsweredAgain,
  receivedAside,
  receivedMatched,
  receivedRefused,
  supplierAside,
  supplierRestored,
} from '@parrain/domain/received-invoice';
import * as z from 'zod/mini';

import { addressFault } from '#platform/public-address';

import {
  createPlatformClient,
  keptAccess,
  PlatformTrouble,
  sealPlatformSecret,
  TIMEOUT_MS,
} from '../../e-invoicing/index.ts';
import type { PlatformAccess } from '../../e-invoicing/index.ts';
import { answer, issue } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** EI-01, EI-02: the plateforme agréée that invoices leave and come in by, and what becomes of each. */
export default {
  read: { method: 'GET', callers: ['admin'], run: readSettings },
  connect: { callers: ['admin'], run: connect },
  try: { callers: ['admin'], run: tryKept },
  switch: { callers: ['admin'], run: switchOn },
  states: { callers: ['admin', 'comptable', 'commercial', 'client'], run: readStates },
  history: { callers: ['admin', 'comptable', 'commercial', 'client'], run: readHistory },
  deposit: { callers: ['admin'], run: deposit },
  deposit_all: { callers: ['admin'], run: depositAll },
  mark: { callers: ['admin'], run: mark },
  received: { method: 'GET', callers: ['admin'], run: readReceived },
  received_file: { callers: ['admin'], run: readReceivedFile },
  match_received: { callers: ['admin'], run: matchReceived },
  refuse_received: { callers: ['admin'], run: refuseReceived },
  set_aside_received: { callers: ['admin'], run: setAsideReceived },
  answer_received_again: { callers: ['admin'], run: answerReceivedAgain },
  set_aside_supplier: { callers: ['admin'], run: setAsideSupplier },
  restore_supplier: { callers: ['admin'], run: restoreSupplier },
} satisfies ProductFunction;

/** Never the secret. */
async function readSettings(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.e_invoicing_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

/** Keeps a platform's settings once it has answered to them. */
async function connect(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(eInvoicingForm, call.body ?? {});
  const { siren, isSessionFresh } = await companyOf(call);
  // Before anything of the kept access goes out.
  if (!isSessionFresh) throw new Failure('reauthentication_required');
  if (!call.services.config.isOfThisMachine) {
    for (const field of ['flow_url', 'directory_url', 'token_url'] as const) {
      const fault = addressFault(new URL(form[field]));
      if (fault !== null) throw said(field, fault === 'not_https' ? webhookNotHttps : webhookPrivate);
    }
  }
  const access = {
    flowUrl: form.flow_url,
    directoryUrl: form.directory_url,
    tokenUrl: form.token_url,
    clientId: form.client_id,
  };
  const secret = form.client_secret ?? (await keptSecretOf(call, access));
  if (secret === null) throw said('client_secret', platformSecretMissing);
  await tryPlatform(call, siren, { ...access, clientSecret: secret });
  await call.db.queryAs(call.identity, {
    text: 'select private.connect_e_invoicing($1, $2, $3, $4, $5)',
    values: [
      form.flow_url,
      form.directory_url,
      form.token_url,
      form.client_id,
      sealPlatformSecret(call.services, secret),
    ],
  });
  return answer({ success: true, message: eInvoicingConnected });
}

/** The kept secret, for the very addresses and client that it was given for: it goes nowhere else. */
async function keptSecretOf(call: UserCall, access: Omit<PlatformAccess, 'clientSecret'>): Promise<string | null> {
  const kept = await keptAccess(call.services);
  if (kept === null) return null;
  const { clientSecret, ...known } = kept;
  return isDeepStrictEqual(known, access) ? clientSecret : null;
}

async function tryKept(call: UserCall): Promise<FunctionResponse> {
  const { siren } = await companyOf(call);
  const access = await keptAccess(call.services);
  if (access === null) throw new Failure('not_found');
  await tryPlatform(call, siren, access);
  return answer({ success: true });
}

/** The company's SIREN, which the directory is asked about, and how fresh the session of the caller is. */
async function companyOf(call: UserCall): Promise<{ readonly siren: string; readonly isSessionFresh: boolean }> {
  const { rows } = await call.db.queryAs<{ siren: string | null; is_session_fresh: boolean }>(
    call.identity,
    {
      text: `select s ->> 'siren' as siren, (s ->> 'is_session_fresh')::boolean as is_session_fresh from private.e_invoicing_shown() s`,
    },
    { readOnly: true },
  );
  const { siren = null, is_session_fresh: isSessionFresh = false } = rows[0] ?? {};
  if (siren === null) throw said('flow_url', platformSirenMissing);
  return { siren, isSessionFresh };
}

async function tryPlatform({ services }: UserCall, siren: string, access: PlatformAccess): Promise<void> {
  const client = createPlatformClient(access, {
    isPrivateAllowed: services.config.isOfThisMachine,
    timeoutMs: TIMEOUT_MS,
  });
  try {
    if ((await client.try(siren, new AbortController().signal)) === 'good') return;
  } catch (error) {
    if (!(error instanceof PlatformTrouble)) throw error;
    throw said(isAccessRefused(error) ? 'client_id' : `${error.place}_url`, error.message);
  }
  throw said('directory_url', platformSirenUnknown);
}

function isAccessRefused({ status }: PlatformTrouble): boolean {
  return status === 401 || status === 403;
}

function said(field: string, words: string): Failure {
  return new Failure('invalid_input', {}, [issue(field, words)]);
}

const switching = z.object({ is_on: z.boolean(inputInvalid) });

async function switchOn(call: UserCall): Promise<FunctionResponse> {
  const { is_on: isOn } = parsePayload(switching, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.switch_e_invoicing($1)', values: [isOn] });
  return answer({ success: true, message: isOn ? eInvoicingOn : eInvoicingOff });
}

/** Of these papers, those that are invoices and that the caller may read. */
async function readStates(call: UserCall): Promise<FunctionResponse> {
  const { paper_ids: paperIds } = parsePayload(eInvoicesForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.e_invoices_shown($1) as data', values: [paperIds] },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

const named = z.object({ paper_id: id('Choisissez une facture.') });

async function readHistory(call: UserCall): Promise<FunctionResponse> {
  const { paper_id: paperId } = parsePayload(named, call.body ?? {});
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.e_invoice_history($1) as data', values: [paperId] },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

async function deposit(call: UserCall): Promise<FunctionResponse> {
  const { paper_ids: paperIds } = parsePayload(eInvoicesForm, call.body ?? {});
  return depositThese(call, paperIds);
}

/** Invoices and credit notes of before the platform, of which nothing was done yet. */
async function depositAll(call: UserCall): Promise<FunctionResponse> {
  return depositThese(call, null);
}

async function depositThese(call: UserCall, paperIds: readonly string[] | null): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ count: number }>(call.identity, {
    text: 'select private.deposit_e_invoices($1) as count',
    values: [paperIds],
  });
  const count = rows[0]?.count ?? 0;
  if (count === 0) throw said('paper_ids', eInvoicesNotQueued);
  return answer({ success: true, message: eInvoicesQueued, count });
}

async function mark(call: UserCall): Promise<FunctionResponse> {
  const { paper_ids: paperIds, day } = parsePayload(elsewhereForm, call.body ?? {});
  if (day > dayOf(new Date())) throw said('day', depositDayToCome);
  const { rows } = await call.db.queryAs<{ count: number }>(call.identity, {
    text: 'select private.mark_e_invoices($1, $2::date) as count',
    values: [paperIds, day],
  });
  const count = rows[0]?.count ?? 0;
  if (count === 0) throw said('day', eInvoicesNotMarked);
  return answer({ success: true, message: eInvoicesMarked, count });
}

/** EI-02: invoices that came in and wait, and those that were decided of late. */
async function readReceived(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ data: unknown }>(
    call.identity,
    { text: 'select private.received_invoices_shown() as data' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

/** EI-02: the very bytes that the platform gave. */
async function readReceivedFile(call: UserCall): Promise<FunctionResponse> {
  const { received_id: receivedId } = parsePayload(receivedInvoiceForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ name: string; bytes: Buffer }>(
    call.identity,
    { text: 'select name, bytes from private.received_invoice_file($1)', values: [receivedId] },
    { readOnly: true },
  );
  const [kept] = rows;
  if (kept === undefined) throw new Failure('not_found');
  return answer({
    success: true,
    data: {
      name: kept.name,
      content_type: proofTypeOf(kept.bytes) ?? 'application/xml',
      content: kept.bytes.toString('base64'),
    },
  });
}

async function matchReceived(call: UserCall): Promise<FunctionResponse> {
  const body = call.body ?? {};
  const form = 'month' in body ? parsePayload(matchReceivedMonthForm, body) : parsePayload(matchReceivedForm, body);
  const due = 'month' in form ? [null, form.payee_id, form.month] : [form.request_id, null, null];
  await call.db.queryAs(call.identity, {
    text: 'select from private.match_received_by_hand($1, $2, $3, $4)',
    values: [form.received_id, ...due],
  });
  return answer({ success: true, message: receivedMatched });
}

async function refuseReceived(call: UserCall): Promise<FunctionResponse> {
  const { received_id: receivedId, reason } = parsePayload(refuseReceivedForm, call.body ?? {});
  await call.db.queryAs(call.identity, {
    text: 'select private.refuse_received_invoice($1, $2)',
    values: [receivedId, reason],
  });
  return answer({ success: true, message: receivedRefused });
}

async function setAsideReceived(call: UserCall): Promise<FunctionResponse> {
  const { received_id: receivedId } = parsePayload(receivedInvoiceForm, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.set_aside_received_invoice($1)', values: [receivedId] });
  return answer({ success: true, message: receivedAside });
}

/** EI-02: the platform would not take the answer to its seller. */
async function answerReceivedAgain(call: UserCall): Promise<FunctionResponse> {
  const { received_id: receivedId } = parsePayload(receivedInvoiceForm, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.answer_received_again($1)', values: [receivedId] });
  return answer({ success: true, message: receivedAnsweredAgain });
}

/** EI-02: a supplier who is none of the programme's, by one of their invoices. */
async function setAsideSupplier(call: UserCall): Promise<FunctionResponse> {
  const { received_id: receivedId } = parsePayload(receivedInvoiceForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ count: number }>(call.identity, {
    text: 'select private.set_aside_supplier($1) as count',
    values: [receivedId],
  });
  return answer({ success: true, message: supplierAside, count: rows[0]?.count ?? 0 });
}

async function restoreSupplier(call: UserCall): Promise<FunctionResponse> {
  const { siren } = parsePayload(restoreSupplierForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ count: number }>(call.identity, {
    text: 'select private.restore_supplier($1) as count',
    values: [siren],
  });
  return answer({ success: true, message: supplierRestored, count: rows[0]?.count ?? 0 });
}
