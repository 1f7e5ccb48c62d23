import { contractCorrectedDetail, correctionAskedDetail } from '@parrain/domain/correction-messages';
import { Failure } from '@parrain/domain/failure';
import { contractDecisionForm } from '@parrain/domain/forms/contract-decision';
import type { ContractDecision } from '@parrain/domain/forms/contract-decision';
import { followUpFields, followUpForm, newsRequestForm } from '@parrain/domain/forms/follow-up';
import { contactKept, keptContactForm } from '@parrain/domain/forms/kept-contact';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { referralGiftForm, referralGiven, refusedReferrersForm } from '@parrain/domain/forms/referral-gift';
import { saleStatusForm, saleStatusUndoForm } from '@parrain/domain/forms/sale-status';
import type { SaleStatusUpdate } from '@parrain/domain/forms/sale-status';
import {
  contractRefusedDetail,
  contractValidatedDetail,
  followUpSaved,
  newsAsked,
  saleStatusUndone,
  saleStatusUpdated,
  validationCancelledDetail,
} from '@parrain/domain/messages';
import { toWire } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { isEditableByCommercial, saleChoiceLabels, saleChoiceToWire } from '@parrain/domain/sale';
import type { SaleFacts } from '@parrain/domain/sale';

import type { Query } from '#platform/database';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { keepingOthers } from '../edit.ts';
import type { Edited } from '../edit.ts';
import { onceInOneStatement } from '../once.ts';
import { writeToFriend } from './write-to-friend.ts';

/** A referral as its commercial writes it: the status, the contract and the notes; the day to call back and the private note. */
const referrals: Edited = {
  labels: { status: saleChoiceLabels },
  name: ({ body }) => `referral:${String(body?.['sale_id'])}`,
  read: async (tx, { body }) => {
    const { saleId } = parsePayload(newsRequestForm, body);
    const { rows } = await tx.query<Record<string, unknown>>(
      `select s.id as sale_id, case when s.status = 'pending' and s.ready_for_validation then 'pending_validation' else s.status end as status,
        s.contract_amount::text, s.contract_description, s.commercial_notes, f.private_note, f.call_back_on::text
      from public.sales s left join public.follow_ups f on f.sale_id = s.id where s.id = $1`,
      [saleId],
    );
    if (rows[0] === undefined) throw new Failure('sale_not_found');
    return rows[0];
  },
};

/** Refuses a referral that was decided meanwhile before it reports a field that was edited meanwhile (E-01). */
const movedReferrals: Edited = {
  ...referrals,
  read: async (tx, call) => {
    const { saleId } = parsePayload(newsRequestForm, call.body);
    const { rows } = await tx.query<SaleFacts>(
      `select status, ready_for_validation as "readyForValidation", admin_validated as "adminValidated",
        corrects_sale_id as "correctsSaleId" from public.sales where id = $1`,
      [saleId],
    );
    if (rows[0] !== undefined && !isEditableByCommercial(rows[0])) throw new Failure('sale_not_editable');
    const now = await referrals.read(tx, call);
    // A follow-up that the move says nothing of is not written anew.
    return Object.fromEntries(Object.entries(now ?? {}).filter(([field]) => !isFollowUp(field) || isSaid(call, field)));
  },
};

const isFollowUp = (field: string): boolean => Object.hasOwn(followUpFields, field);
const isSaid = ({ body }: UserCall, field: string): boolean => Object.hasOwn(body ?? {}, field);

/** F-12, F-16, UI-11: the commercial moves a referral; the admin validates, refuses, has corrected, corrects, or cancels a validation. */
export default {
  update_status: { callers: ['commercial'], run: keepingOthers(movedReferrals, updateStatus) },
  undo_status: { callers: ['commercial'], run: undoStatus },
  follow_up: { callers: ['commercial'], run: keepingOthers(referrals, keepFollowUp) },
  write_to_friend: { callers: ['commercial'], run: writeToFriend },
  ask_news: { callers: ['client'], run: askForNews },
  validate: { callers: ['admin'], run: decide },
  reject: { callers: ['admin'], run: decide },
  ask_correction: { callers: ['admin'], run: decide },
  correct_contract: { callers: ['admin'], run: decide },
  cancel_validation: { callers: ['admin'], run: decide },
  refused_referrers: { callers: ['admin'], run: readRefusedReferrers },
  give_referral: { callers: ['admin'], run: giveReferral },
  contacts_to_erase: { callers: ['admin'], run: readContactsToErase },
  keep_contact: { callers: ['admin'], run: keepContact },
} satisfies ProductFunction;

type SaleResult = { readonly sale: unknown; readonly already?: boolean };

/** S-02, S-03, V-09: one of the six, in any order, until the sale is validated; the day to call back and the private note with it (UI-06). */
async function updateStatus(call: UserCall): Promise<FunctionResponse> {
  const update = parsePayload(saleStatusForm, call.body);
  return onceInOneStatement<SaleResult>(call, moveQuery(call, update), ({ sale }) =>
    answer({ success: true, message: saleStatusUpdated, data: sale }),
  );
}

function moveQuery(call: UserCall, update: SaleStatusUpdate): Query {
  const values = [
    update.saleId,
    saleChoiceToWire(update.choice),
    wireOrNull(update.contractAmount),
    update.contractDescription,
    update.commercialNotes,
    emptiedFields(call, update),
  ];
  const moved = 'private.update_sale_status($1, $2, $3::numeric, $4, $5, $6) s';
  const isNoted = isSaid(call, 'private_note');
  const isScheduled = isSaid(call, 'call_back_on');
  if (!isNoted && !isScheduled) return { text: `select to_json(s) as sale from ${moved}`, values };
  // The move comes first: whether a day to call back is taken depends on what the referral is by then.
  return {
    text: `select to_json(s) as sale, private.keep_follow_up(s.id,
        case when $7 then $8 else (select f.private_note from public.follow_ups f where f.sale_id = s.id) end,
        case when $9 then $10::date else (select f.call_back_on from public.follow_ups f where f.sale_id = s.id) end)
      from ${moved}`,
    values: [...values, isNoted, update.privateNote, isScheduled, update.callBackOn],
  };
}

/** NV-09: the move that made this version, taken back within seconds and before anybody is mailed of it. */
async function undoStatus(call: UserCall): Promise<FunctionResponse> {
  const { saleId, seenVersion } = parsePayload(saleStatusUndoForm, call.body);
  return onceInOneStatement<SaleResult>(
    call,
    { text: 'select to_json(s) as sale from private.undo_sale_status($1, $2) s', values: [saleId, seenVersion] },
    ({ sale }) => answer({ success: true, message: saleStatusUndone, data: sale }),
  );
}

/** Partial update: a field sent empty is cleared, an absent field is unchanged. */
function emptiedFields(call: UserCall, update: SaleStatusUpdate): readonly string[] {
  const values = {
    contract_amount: update.contractAmount,
    contract_description: update.contractDescription,
    commercial_notes: update.commercialNotes,
  };
  return Object.entries(values).flatMap(([field, value]) => (value === null && isSaid(call, field) ? [field] : []));
}

/** TM-05: the day to call back, and a note that the referrer does not read. */
async function keepFollowUp(call: UserCall): Promise<FunctionResponse> {
  const { saleId, privateNote, callBackOn } = parsePayload(followUpForm, call.body);
  await call.db.queryAs(call.identity, {
    text: 'select from private.keep_follow_up($1, $2, $3::date)',
    values: [saleId, privateNote, callBackOn],
  });
  return answer({ success: true, message: followUpSaved });
}

/** TM-05: the referrer asks the commercial where a referral stands. */
async function askForNews(call: UserCall): Promise<FunctionResponse> {
  const { saleId } = parsePayload(newsRequestForm, call.body);
  const { rows } = await call.db.queryAs<{ asked_at: string }>(call.identity, {
    text: 'select private.ask_for_news($1) as asked_at',
    values: [saleId],
  });
  return answer({ success: true, message: newsAsked, asked_at: rows[0]?.asked_at });
}

/** CS-02: to whom a referral was refused, its friend having been referred before. */
async function readRefusedReferrers(call: UserCall): Promise<FunctionResponse> {
  const { sale_id: saleId } = parsePayload(refusedReferrersForm, call.body);
  const { rows } = await call.db.queryAs(
    call.identity,
    { text: 'select client_id, full_name, tries, last_at from private.refused_referrers($1)', values: [saleId] },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

/** CS-02: the admin gives an open referral to one of them, and says why. */
async function giveReferral(call: UserCall): Promise<FunctionResponse> {
  const { saleId, clientId, reason, seenVersion } = parsePayload(referralGiftForm, call.body);
  return onceInOneStatement<SaleResult>(
    call,
    {
      text: 'select to_json(s) as sale from private.give_referral($1, $2, $3, $4) s',
      values: [saleId, clientId, reason, seenVersion],
    },
    ({ sale }) => answer({ success: true, message: referralGiven, data: sale }),
  );
}

/** CS-04: contacts without contract that are about to be forgotten, the first to go first. */
async function readContactsToErase(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs(
    call.identity,
    {
      text: `select sale_id, contact_name, referrer_name, last_heard_at, erase_on::text, total::float8
        from private.contacts_to_erase()`,
    },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

/** CS-04: the admin keeps one of them, and says why. */
async function keepContact(call: UserCall): Promise<FunctionResponse> {
  const { saleId, reason } = parsePayload(keptContactForm, call.body);
  await call.db.queryAs(call.identity, { text: 'select private.keep_contact($1, $2)', values: [saleId, reason] });
  return answer({ success: true, message: contactKept });
}

/** S-04, S-11: each decision is one statement, all or nothing; the same again is the same answer. */
async function decide(call: UserCall): Promise<FunctionResponse> {
  const action = call.name.slice(call.name.indexOf('/') + 1);
  const decision = parsePayload(contractDecisionForm, { ...call.body, action });
  return onceInOneStatement<SaleResult>(call, queryOf(decision), ({ sale, already }) =>
    answer({ success: true, message: messages[decision.action], already: already === true, data: sale }),
  );
}

const messages: Readonly<Record<ContractDecision['action'], string>> = {
  validate: contractValidatedDetail,
  reject: contractRefusedDetail,
  ask_correction: correctionAskedDetail,
  correct_contract: contractCorrectedDetail,
  cancel_validation: validationCancelledDetail,
};

function queryOf(decision: ContractDecision): Query {
  switch (decision.action) {
    case 'validate':
      return {
        text: `select to_json(v.sale) as sale, v.already
          from private.validate_sale($1, $2, $3, $4::numeric, $5::numeric, $6::numeric, $7, $8) v`,
        values: [
          decision.saleId,
          decision.commissionRateId,
          decision.seenVersion,
          toWire(decision.expectedContractAmount),
          toWire(decision.expectedClientCommissionAmount),
          toWire(decision.expectedCommercialCommissionAmount),
          decision.version?.id ?? null,
          decision.version?.reason ?? null,
        ],
      };
    case 'reject':
      return {
        text: 'select to_json(v.sale) as sale, v.already from private.refuse_sale($1, $2, $3) v',
        values: [decision.saleId, decision.reason, decision.seenVersion],
      };
    case 'ask_correction':
      return {
        text: 'select to_json(v.sale) as sale, v.already from private.ask_correction($1, $2, $3) v',
        values: [decision.saleId, decision.reason, decision.seenVersion],
      };
    case 'correct_contract':
      return {
        text: `select to_json(v.sale) as sale, v.already
          from private.correct_contract($1, $2, $3, $4, $5::numeric, $6::numeric, $7::numeric, $8::numeric) v`,
        values: [
          decision.saleId,
          decision.reason,
          decision.seenVersion,
          decision.seenCorrections,
          toWire(decision.seenContract),
          toWire(decision.contractLeft),
          toWire(decision.expectedClientCommissionAmount),
          toWire(decision.expectedCommercialCommissionAmount),
        ],
      };
    case 'cancel_validation':
      return {
        text: `select to_json(v.sale) as sale, v.already
          from private.cancel_validation($1, $2, $3, $4::numeric, $5::numeric, $6::numeric, $7::numeric) v`,
        values: [
          decision.saleId,
          decision.reason,
          decision.seenVersion,
          toWire(decision.expectedClientCommissionAmount),
          toWire(decision.expectedCommercialCommissionAmount),
          wireOrNull(decision.contractLeft),
          wireOrNull(decision.seenContract),
        ],
      };
  }
}

function wireOrNull(cents: Cents | null): string | null {
  return cents === null ? null : toWire(cents);
}
