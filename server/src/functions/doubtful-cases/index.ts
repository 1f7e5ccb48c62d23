import { doubtfulCaseDecided } from '@parrain/domain/doubt';
import { doubtfulCaseForm, doubtHoldForm, doubtRuleForm } from '@parrain/domain/forms/doubtful-case';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { settingsSaved } from '@parrain/domain/messages';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';
import { onceInOneStatement } from '../once.ts';
import { changeControl } from '../company-settings/controls.ts';

const rules: Edited = {
  name: ({ body }) => `doubt-rule:${String(body?.['rule'])}`,
  read: async (tx, { body }) => {
    const { rows } = await tx.query<Record<string, unknown>>(
      'select code as rule, is_on, most from public.doubt_rules where code = $1',
      [String(body?.['rule'])],
    );
    return rows[0];
  },
};

/** FD-01: an admin decides what looks like a fraud, and which rules look. */
export default {
  decide: { callers: ['admin'], run: decide },
  set_rule: { callers: ['admin'], run: keepingOthers(rules, setRule) },
  set_hold: { callers: ['admin'], run: setHold },
  own_checks: { callers: ['client'], run: readOwnChecks },
} satisfies ProductFunction;

async function decide(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(doubtfulCaseForm, call.body ?? {});
  return onceInOneStatement<{ decided: unknown; already: boolean }>(
    call,
    {
      text: 'select to_json(d.decided) as decided, d.already from private.decide_doubtful_case($1, $2, $3, $4, $5) d',
      values: [form.caseId, form.decision, form.reason, form.seenVersion, form.isPairCleared],
    },
    ({ decided, already }) => answer({ success: true, message: doubtfulCaseDecided, already, data: decided }),
  );
}

async function setRule(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(doubtRuleForm, call.body ?? {});
  const { rows } = await call.db.queryAs<{ rule: unknown }>(call.identity, {
    text: 'select to_json(r) as rule from private.set_doubt_rule($1, $2, $3) r',
    values: [form.rule, form.is_on, form.most],
  });
  return answer({ success: true, message: settingsSaved, data: rows[0]?.rule });
}

async function setHold(call: UserCall): Promise<FunctionResponse> {
  const form = parsePayload(doubtHoldForm, call.body ?? {});
  return changeControl(call, 'hold_doubtful', {
    text: 'select from private.set_hold_doubtful($1)',
    values: [form.hold_doubtful],
  });
}

/** Lists the caller's requests that wait for a check: a client reads no more of a case. */
async function readOwnChecks(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs<{ id: string }>(
    call.identity,
    { text: 'select private.own_requests_under_check() as id' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows.map(({ id }) => id) });
}
