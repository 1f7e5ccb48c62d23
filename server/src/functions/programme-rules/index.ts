import { parsePayload } from '@parrain/domain/forms/parse-payload';
import {
  rulesAccepted,
  rulesAcceptanceForm,
  rulesAcceptancesForm,
  rulesDraftForm,
  rulesDraftSaved,
  rulesPublicationForm,
  rulesPublished,
} from '@parrain/domain/forms/programme-rules';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';

/** The draft, or the text in force where none is begun: what the form opens on. */
const draft: Edited = {
  name: () => 'rules-draft',
  read: async (tx) => {
    const { rows } = await tx.query<{ body: string | null }>(
      `select coalesce(s.state ->> 'draft', s.state -> 'versions' -> 0 ->> 'body') as body from private.rules_shown() s (state)`,
    );
    return rows[0];
  },
};

/** CS-05: the rules of the programme, written and published by an admin, read by everybody who signs in, accepted by clients. */
export default {
  get: { method: 'GET', callers: ['admin', 'commercial', 'client'], run: readRules },
  state: { method: 'GET', callers: ['admin'], run: readState },
  acceptances: { callers: ['admin'], run: readAcceptances },
  save_draft: { callers: ['admin'], run: keepingOthers(draft, saveDraft) },
  publish: { callers: ['admin'], run: publish },
  accept: { callers: ['client'], run: accept },
} satisfies ProductFunction;

/** The version in force; null until there is one. */
async function readRules(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs(
    call.identity,
    { text: 'select version, body, published_at from private.rules_in_force() where version is not null' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0] ?? null });
}

async function readState(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ state: unknown }>(
    call.identity,
    { text: 'select private.rules_shown() as state' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows[0]?.state });
}

async function readAcceptances(call: UserCall): Promise<FunctionResponse> {
  const { search } = parsePayload(rulesAcceptancesForm, call.body ?? {});
  const { rows } = await call.db.queryAs(
    call.identity,
    {
      text: `select client_id, full_name, version, accepted_at, total::float8 from private.rules_acceptances_shown($1)`,
      values: [search],
    },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

async function saveDraft(call: UserCall): Promise<FunctionResponse> {
  const { body } = parsePayload(rulesDraftForm, call.body ?? {});
  await call.db.queryAs(call.identity, { text: 'select private.save_rules_draft($1)', values: [body] });
  return answer({ success: true, message: rulesDraftSaved });
}

/** The next version, after the one that was on screen: two admins who publish at once make one. */
async function publish(call: UserCall): Promise<FunctionResponse> {
  const { body, seenVersion } = parsePayload(rulesPublicationForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ version: number }>(call.identity, {
    text: 'select private.publish_rules($1, $2) as version',
    values: [body, seenVersion],
  });
  return answer({ success: true, message: rulesPublished, data: rows[0] });
}

async function accept(call: UserCall): Promise<FunctionResponse> {
  const { version } = parsePayload(rulesAcceptanceForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ accepted_at: string }>(call.identity, {
    text: 'select private.accept_rules($1) as accepted_at',
    values: [version],
  });
  return answer({ success: true, message: rulesAccepted, data: rows[0] });
}
