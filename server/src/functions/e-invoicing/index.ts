import {
  eInvoicesMarked,
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
import { webhookNotHttps, webhookPrivate } from '@parrain/domain/forms/webhook';
import { Failure } from '@parrain/domain/failure';
import { inputInvalid } from '@parrain/domain/messages';
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

/** EI-01: the plateforme agréée that self-billed invoices leave by, and what becomes of each. */
export default {
  read: { method: 'GET', callers: ['admin'], run: readSettings },
  connect: { callers: ['admin'], run: connect },
  try: { callers: ['admin'], run: tryKept },
  switch: { callers: ['admin'], run: switchOn },
  states: { callers: ['admin', 'comptable', 'commercial', 'client'], run: readStates },
  history: { callers: ['admin', 'comptable', 'commercial', 'client'], run: readHistory },
  deposit: { callers: ['admin'], run: deposit },
  mark: { callers: ['admin'], run: mark },
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
  const siren = await sirenOf(call);
  if (!call.services.config.isOfThisMachine) {
    for (const field of ['flow_url', 'directory_url', 'token_url'] as const) {
      const fault = addressFault(new URL(form[field]));
      if (fault !== null) throw said(field, fault === 'not_https' ? webhookNotHttps : webhookPrivate);
    }
  }
  const secret = form.client_secret ?? (await keptAccess(call.services))?.clientSecret;
  if (secret === undefined) throw said('client_secret', platformSecretMissing);
  await tryPlatform(call, siren, {
    flowUrl: form.flow_url,
    directoryUrl: form.directory_url,
    tokenUrl: form.token_url,
    clientId: form.client_id,
    clientSecret: secret,
  });
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

async function tryKept(call: UserCall): Promise<FunctionResponse> {
  const siren = await sirenOf(call);
  const access = await keptAccess(call.services);
  if (access === null) throw new Failure('not_found');
  await tryPlatform(call, siren, access);
  return answer({ success: true });
}

/** The company's own, which the directory is asked about. */
async function sirenOf(call: UserCall): Promise<string> {
  const { rows } = await call.db.queryAs<{ siren: string | null }>(
    call.identity,
    { text: `select private.e_invoicing_shown() ->> 'siren' as siren` },
    { readOnly: true },
  );
  const siren = rows[0]?.siren ?? null;
  if (siren === null) throw said('flow_url', platformSirenMissing);
  return siren;
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
    throw said('flow_url', error.message);
  }
  throw said('directory_url', platformSirenUnknown);
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
  const { rows } = await call.db.queryAs<{ count: number }>(call.identity, {
    text: 'select private.deposit_e_invoices($1) as count',
    values: [paperIds],
  });
  return answer({ success: true, message: eInvoicesQueued, count: rows[0]?.count });
}

async function mark(call: UserCall): Promise<FunctionResponse> {
  const { paper_ids: paperIds, day } = parsePayload(elsewhereForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ count: number }>(call.identity, {
    text: 'select private.mark_e_invoices($1, $2::date) as count',
    values: [paperIds, day],
  });
  return answer({ success: true, message: eInvoicesMarked, count: rows[0]?.count });
}
