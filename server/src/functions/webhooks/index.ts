import { id } from '@parrain/domain/forms/fields';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { webhookForm, webhookNotHttps, webhookPrivate } from '@parrain/domain/forms/webhook';
import { inputInvalid } from '@parrain/domain/messages';
import {
  webhookAdded,
  webhookEventLabels,
  webhookRemoved,
  webhookSaved,
  webhookSecretRolled,
  webhookSentAgain,
  webhookTestSent,
} from '@parrain/domain/webhook';
import type { WebhookEvent } from '@parrain/domain/webhook';
import { Failure } from '@parrain/domain/failure';
import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';

import { answer, issue } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';
import { addressFault } from '#platform/public-address';
import { sealWebhookSecret } from './sender.ts';
import { newWebhookSecret } from './signature.ts';

const webhookId = id('Choisissez un webhook.', { failure: 'webhook_not_found' });
const choice = z.object({ webhook_id: webhookId });

const webhooks: Edited = {
  labels: { events: webhookEventLabels },
  name: ({ body }) => `webhook:${String(body?.['webhook_id'])}`,
  read: async (tx, { body }) => {
    const { webhook_id: of } = parsePayload(choice, body ?? {});
    const { rows } = await tx.query<{ webhook: Record<string, unknown> }>(
      `select w.webhook from jsonb_array_elements(private.webhooks_shown()) w (webhook) where w.webhook ->> 'id' = $1`,
      [of],
    );
    return rows[0]?.webhook;
  },
};

/** WH-02: the addresses of other software that is told of events, and the log of what was sent to them. */
export default {
  list: { method: 'GET', callers: ['admin'], run: listWebhooks },
  log: { method: 'GET', callers: ['admin'], run: readLog },
  add: { callers: ['admin'], run: addWebhook },
  update: { callers: ['admin'], run: keepingOthers(webhooks, updateWebhook) },
  remove: { callers: ['admin'], run: removeWebhook },
  switch: { callers: ['admin'], run: switchWebhook },
  roll_secret: { callers: ['admin'], run: rollSecret },
  test: { callers: ['admin'], run: testWebhook },
  send_again: { callers: ['admin'], run: sendAgain },
} satisfies ProductFunction;

async function listWebhooks(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ webhooks: unknown }>(
    call.identity,
    { text: 'select private.webhooks_shown() as webhooks' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.webhooks });
}

const page = z.object({
  webhook_id: webhookId,
  before: z.optional(z.string(inputInvalid).check(z.regex(/^\d{1,18}$/u, inputInvalid))),
});

/** Newest first, fifty at a time: `before` is the number of the last one that was read. */
async function readLog(call: UserCall): Promise<FunctionResponse> {
  const { webhook_id: of, before } = parsePayload(page, call.request.query as Record<string, unknown>);
  const { rows } = await call.db.queryAs<{ log: unknown }>(
    call.identity,
    { text: 'select private.webhook_log($1, $2::bigint) as log', values: [of, before ?? null] },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.log });
}

/** The secret is in this answer and in no other. */
async function addWebhook(call: UserCall): Promise<FunctionResponse> {
  const form = checkedForm(call);
  const made = randomUUID();
  const secret = newWebhookSecret();
  await call.db.queryAs(call.identity, {
    text: 'select private.add_webhook($1, $2, $3, $4, $5)',
    values: [made, form.url, form.description, form.events, sealWebhookSecret(call.services, made, secret)],
  });
  return answer({ success: true, message: webhookAdded, id: made, secret });
}

async function updateWebhook(call: UserCall): Promise<FunctionResponse> {
  const { webhook_id: of } = parsePayload(choice, call.body ?? {});
  const form = checkedForm(call);
  await call.db.queryAs(call.identity, {
    text: 'select private.update_webhook($1, $2, $3, $4)',
    values: [of, form.url, form.description, form.events],
  });
  return answer({ success: true, message: webhookSaved });
}

/** An installation that others reach sends to public addresses alone. A name is judged when it is sent to. */
function checkedForm(call: UserCall): {
  readonly url: string;
  readonly description: string | null;
  readonly events: readonly WebhookEvent[];
} {
  const form = parsePayload(webhookForm, call.body ?? {});
  if (call.services.config.isOfThisMachine) return form;
  const fault = addressFault(new URL(form.url));
  if (fault === null) return form;
  throw new Failure('invalid_input', {}, [issue('url', fault === 'not_https' ? webhookNotHttps : webhookPrivate)]);
}

async function removeWebhook(call: UserCall): Promise<FunctionResponse> {
  const { webhook_id: of } = parsePayload(choice, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.remove_webhook($1)', values: [of] });
  return answer({ success: true, message: webhookRemoved });
}

const switching = z.object({ webhook_id: webhookId, is_on: z.boolean(inputInvalid) });

async function switchWebhook(call: UserCall): Promise<FunctionResponse> {
  const { webhook_id: of, is_on: isOn } = parsePayload(switching, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.switch_webhook($1, $2)', values: [of, isOn] });
  return answer({ success: true, message: webhookSaved });
}

/** The new secret is in this answer and in no other; the one before is valid for a day more. */
async function rollSecret(call: UserCall): Promise<FunctionResponse> {
  const { webhook_id: of } = parsePayload(choice, call.body ?? {});
  const secret = newWebhookSecret();
  const { rows } = await call.db.queryAs<{ until: Date }>(call.identity, {
    text: 'select private.roll_webhook_secret($1, $2) as until',
    values: [of, sealWebhookSecret(call.services, of, secret)],
  });
  return answer({ success: true, message: webhookSecretRolled, secret, former_secret_until: rows[0]?.until });
}

async function testWebhook(call: UserCall): Promise<FunctionResponse> {
  const { webhook_id: of } = parsePayload(choice, call.body ?? {});
  const { rows } = await call.db.queryAs<{ id: string }>(call.identity, {
    text: 'select private.test_webhook($1) as id',
    values: [of],
  });
  return answer({ success: true, message: webhookTestSent, id: rows[0]?.id });
}

const deliveryChoice = z.object({
  delivery_id: id('Choisissez un envoi.', { failure: 'webhook_delivery_not_found' }),
});

async function sendAgain(call: UserCall): Promise<FunctionResponse> {
  const { delivery_id: of } = parsePayload(deliveryChoice, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.send_webhook_again($1)', values: [of] });
  return answer({ success: true, message: webhookSentAgain });
}
