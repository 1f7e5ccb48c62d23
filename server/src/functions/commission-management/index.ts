import { commissionScaleForm } from '@parrain/domain/forms/commission-scale';
import { Failure } from '@parrain/domain/failure';
import { id, optionalId } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { optionalDay, scaleVersionForm } from '@parrain/domain/forms/scale-version';
import { scaleCreated, scaleInvalid, scaleVersionPublished, settingsSaved } from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import { extraRulesToJson, type RuledSide } from '@parrain/domain/scale-rules';
import { commissionSideToWire } from '@parrain/domain/wire';
import * as z from 'zod/mini';

import type { Query } from '#platform/database';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { once, onceInOneStatement } from '../once.ts';

/**
 * F-07, S-12, SC-01: the scales. A change is a new version of one; `replaces_id`, which other software may send, makes a scale that
 * takes the place of another.
 */
export default {
  create_commission_rate: { callers: ['admin'], run: create },
  archive_commission_rate: { callers: ['admin'], run: archive },
  restore_commission_rate: { callers: ['admin'], run: restore },
  set_default_commission_rate: { callers: ['admin'], run: setDefault },
  publish_scale_version: { callers: ['admin'], run: publish },
  simulate_scale_version: { callers: ['admin'], run: simulate },
  withdraw_scale_version: { callers: ['admin'], run: withdraw },
} satisfies ProductFunction;

type ScaleResult = { readonly scale: unknown };
type VersionResult = { readonly version: unknown };

const replacement = z.object({ replaces_id: optionalId(scaleInvalid), is_first: z.optional(z.boolean()) });
const chosenVersion = z.object({ scale_version_id: id(scaleInvalid, { failure: 'scale_not_found' }) });
const simulated = z.object({
  commission_rate_id: id(scaleInvalid, { failure: 'scale_not_found' }),
  first_day: optionalDay,
});
const chosen = z.object({ commission_rate_id: id(scaleInvalid, { failure: 'scale_not_found' }) });

async function create(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(commissionScaleForm, call.body ?? {});
  const { replaces_id: replacesId, is_first: isFirst } = parsePayload(replacement, call.body ?? {});
  const query: Query = {
    text: `select to_json(r) as scale from private.create_commission_rate($1, $2, $4, $5::numeric, $6, $7::numeric, $3, $8, $9::numeric, $10,
      $11, $12) r`,
    values: [form.name, form.description, replacesId, ...termsToWire(form)],
  };
  const toResponse = (row: ScaleResult | undefined) =>
    answer({ success: true, message: scaleCreated, data: row?.scale });
  if (isFirst !== true) return onceInOneStatement<ScaleResult>(call, query, toResponse);
  // UI-07: of two first steps at once the second sees the other's scale, which the lock of the first creation let it wait for.
  return once(call, async (tx) => {
    const { rows } = await tx.query<ScaleResult>(query);
    const { rows: known } = await tx.query('select from public.commission_rates where archived_at is null limit 2');
    if (known.length > 1) throw new Failure('first_scale_exists');
    return toResponse(rows[0]);
  });
}

/** SC-01: a new version of a scale, from now on or from a day to come. */
async function publish(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(commissionScaleForm, call.body ?? {});
  const { scaleId, seenNumber, firstDay, seenSimulation } = parsePayload(scaleVersionForm, call.body);
  return onceInOneStatement<VersionResult>(
    call,
    {
      text: `select to_json(v) as version from private.publish_scale_version($1, $2, $3, $4, $5, $6, $7::numeric, $8, $9::numeric, $10,
        $11::numeric, $12, $13, $14, $15) v`,
      values: [
        scaleId,
        seenNumber,
        firstDay,
        form.name,
        form.description,
        ...termsToWire(form),
        seenSimulation === null ? null : JSON.stringify(seenSimulation),
      ],
    },
    (row) => answer({ success: true, message: scaleVersionPublished, data: row.version }),
  );
}

/** SC-05: what a draft would have changed of the last twelve months; refused as its publication would be. Nothing is written. */
async function simulate(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(commissionScaleForm, call.body ?? {});
  const { commission_rate_id: scaleId, first_day: firstDay } = parsePayload(simulated, call.body);
  const { rows } = await call.db.queryAs<{ data: object }>(
    call.identity,
    {
      text: `select private.simulate_scale($1, $2, $3, $4::numeric, $5, $6::numeric, $7, $8::numeric, $9, $10, $11) as data`,
      values: [scaleId, firstDay, ...termsToWire(form)],
    },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.data });
}

/** The terms of a form as the database's functions of scales take them. */
function termsToWire({
  scale,
  clientHoldDays,
  fromContractAmount,
  lastDay,
}: z.output<typeof commissionScaleForm>): unknown[] {
  const [client, commercial] = [commissionSideToWire(scale.client), commissionSideToWire(scale.commercial)];
  return [
    client.type,
    client.amount,
    commercial.type,
    commercial.amount,
    clientHoldDays,
    fromContractAmount === null ? null : toWire(fromContractAmount),
    rulesOf(scale.client),
    rulesOf(scale.commercial),
    lastDay,
  ];
}

/** SC-02: the rules of a side beside its kind and value, as a version keeps them. */
function rulesOf({ extra }: RuledSide): string | null {
  return extra === undefined ? null : JSON.stringify(extraRulesToJson(extra));
}

/** SC-01: before its first day alone. */
async function withdraw(call: UserCall): Promise<FunctionResponse> {
  const { scale_version_id: versionId } = parsePayload(chosenVersion, call.body);
  return onceInOneStatement<VersionResult>(
    call,
    { text: 'select to_json(v) as version from private.withdraw_scale_version($1) v', values: [versionId] },
    (row) => answer({ success: true, message: 'Version retirée', data: row.version }),
  );
}

async function archive(call: UserCall): Promise<FunctionResponse> {
  const { commission_rate_id: scaleId } = parsePayload(chosen, call.body);
  return onceInOneStatement<ScaleResult>(
    call,
    { text: 'select to_json(r) as scale from private.archive_commission_rate($1) r', values: [scaleId] },
    (row) => answer({ success: true, message: 'Barème archivé', data: row.scale }),
  );
}

/** NV-09: back from the archive, within a minute. */
async function restore(call: UserCall): Promise<FunctionResponse> {
  const { commission_rate_id: scaleId } = parsePayload(chosen, call.body);
  return onceInOneStatement<ScaleResult>(
    call,
    { text: 'select to_json(r) as scale from private.restore_commission_rate($1) r', values: [scaleId] },
    (row) => answer({ success: true, message: 'Barème de retour', data: row.scale }),
  );
}

async function setDefault(call: UserCall): Promise<FunctionResponse> {
  const { commission_rate_id: scaleId } = parsePayload(chosen, call.body);
  return onceInOneStatement<ScaleResult>(
    call,
    { text: 'select to_json(r) as scale from private.set_default_commission_rate($1) r', values: [scaleId] },
    (row) => answer({ success: true, message: settingsSaved, data: row.scale }),
  );
}
