import { Failure } from '@parrain/domain/failure';
import { id, optionalId } from '@parrain/domain/forms/fields';
import { listViewForm, viewNameTaken } from '@parrain/domain/forms/list-view';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { inputInvalid } from '@parrain/domain/messages';
import * as z from 'zod/mini';

import { answer, issue } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';

/** NV-05: the views that a person keeps of their lists. */
export default {
  list: { method: 'GET', callers: ['admin', 'commercial', 'client'], run: listViews },
  save: { callers: ['admin', 'commercial', 'client'], run: saveView },
  delete: { callers: ['admin', 'commercial', 'client'], run: deleteView },
} satisfies ProductFunction;

async function listViews(call: UserCall): Promise<FunctionResponse> {
  const { rows } = await call.db.queryAs(
    call.identity,
    { text: 'select id, list, name, settings, created_at from private.my_list_views()' },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

const replacement = z.object({ replaces: optionalId(inputInvalid) });

/** Keeps a list as it stands. Where `replaces` is said, the view of that name is replaced only if it is that one (DF-34). */
async function saveView(call: UserCall): Promise<FunctionResponse> {
  const { list, name, settings } = parsePayload(listViewForm, call.body ?? {});
  const { replaces } = parsePayload(replacement, call.body ?? {});
  const isBound = Object.hasOwn(call.body ?? {}, 'replaces');
  return call.db.transactionAs(call.identity, async (tx) => {
    const { rows: named } = await tx.query<{ id: string }>(
      'select v.id from private.my_list_views() v where v.list = $1 and v.name = $2',
      [list, name],
    );
    if (isBound && named[0] !== undefined && named[0].id !== replaces) {
      throw new Failure('changed_meanwhile', {}, [issue('name', viewNameTaken)]);
    }
    const { rows } = await tx.query<{ id: string }>('select private.save_list_view($1, $2, $3) as id', [
      list,
      name,
      settings,
    ]);
    return answer({ success: true, id: rows[0]?.id });
  });
}

const deletion = z.object({ view_id: id('Choisissez une vue.') });

/** One that is gone already is no trouble. */
async function deleteView(call: UserCall): Promise<FunctionResponse> {
  const { view_id: viewId } = parsePayload(deletion, call.body ?? {});
  const { rows } = await call.db.queryAs<{ deleted: boolean }>(call.identity, {
    text: 'select private.delete_list_view($1) as deleted',
    values: [viewId],
  });
  return answer({ success: true, deleted: rows[0]?.deleted === true });
}
