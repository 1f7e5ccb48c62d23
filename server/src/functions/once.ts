import { Failure } from '@parrain/domain/failure';
import { createHash } from 'node:crypto';

import type { Uploaded } from '#storage';
import type { Query, Transaction, TransactionOptions } from '#platform/database';

import { issue } from './call.ts';
import type { ActorCall, FunctionResponse } from './call.ts';

const PURPOSE = 'idempotent-answer';
const KEY = /^[\x21-\x7e]{1,200}$/u;
/** « Processing »: the work is committed, the answer still waits for something outside of the database. */
const UNFINISHED = 102;

type Claim = { readonly claimed: boolean; readonly status: number | null; readonly body: string | null };

/**
 * Does the work of a call in one transaction, at most once per Idempotency-Key (V-20): the key is claimed, the work done
 * and the answer kept together, so that after a crash at any point a retry with the same key has one effect, and the
 * answer to a retry is the first one, byte for byte. A refusal is not kept: its retry is evaluated again.
 */
export async function once(
  call: ActorCall,
  work: (tx: Transaction) => Promise<FunctionResponse>,
  options: TransactionOptions = {},
): Promise<FunctionResponse> {
  const key = idempotencyKeyOf(call);
  if (key === null) return call.db.transactionAs(call.identity, work, options);
  return call.db.transactionAs(
    call.identity,
    async (tx) => {
      const earlier = await claim(tx, call, key);
      if (earlier !== null) return earlier;
      const response = await work(tx);
      await tx.query(keepQuery(call, key, response));
      return response;
    },
    options,
  );
}

/** The same for a form with a file: what was sent under a key is its fields and the file's hash. */
export function onceForFile(
  call: ActorCall,
  { file, fields }: Uploaded,
  work: (tx: Transaction) => Promise<FunctionResponse>,
): Promise<FunctionResponse> {
  const sha256 = createHash('sha256').update(file).digest('hex');
  return once({ ...call, body: { ...Object.fromEntries(fields), file: sha256 } }, work);
}

/** The same for work that is one statement: without a key it costs one round trip. */
export async function onceInOneStatement<Row extends Record<string, unknown>>(
  call: ActorCall,
  query: Query,
  toResponse: (row: Row) => FunctionResponse,
): Promise<FunctionResponse> {
  const responseOf = (rows: readonly Row[]): FunctionResponse => {
    const [row] = rows;
    if (row === undefined) throw new Error(`${call.name} gave no row`);
    return toResponse(row);
  };
  if (idempotencyKeyOf(call) === null) return responseOf((await call.db.queryAs<Row>(call.identity, query)).rows);
  return once(call, async (tx) => responseOf((await tx.query<Row>(query)).rows));
}

/**
 * The same for work whose answer waits for something after the commit (a mail's acceptance). `work` gives what `finish`
 * needs; it is kept with the key, so that a retry after a crash between the two finishes instead of doing the work again.
 * The first to commit decides the answer of every retry.
 */
export async function onceThen<State>(
  call: ActorCall,
  work: (tx: Transaction) => Promise<State>,
  finish: (state: State) => Promise<FunctionResponse>,
): Promise<FunctionResponse> {
  const key = idempotencyKeyOf(call);
  if (key === null) return finish(await call.db.transactionAs(call.identity, work));

  const outcome = await call.db.transactionAs<{ response: FunctionResponse } | { state: State }>(
    call.identity,
    async (tx) => {
      const earlier = await claim(tx, call, key);
      if (earlier !== null && earlier.status !== UNFINISHED) return { response: earlier };
      if (earlier !== null) return { state: JSON.parse(earlier.text) as State };
      const state = await work(tx);
      await tx.query(keepQuery(call, key, { status: UNFINISHED, text: JSON.stringify(state) }));
      return { state };
    },
  );
  if ('response' in outcome) return outcome.response;
  const finished = await finish(outcome.state);
  const { rows } = await call.db.queryAs<{ status: number; body: string }>(call.identity, {
    text: 'select status, body from private.finish_idempotent_answer($1, $2, $3)',
    values: [key, finished.status, seal(call, key, finished.text)],
  });
  const [row] = rows;
  return row === undefined ? finished : { status: row.status, text: open(call, key, row.body) };
}

/** The key of a call, null where it has none. */
function idempotencyKeyOf(call: ActorCall): string | null {
  const key = call.request.headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key !== 'string' || !KEY.test(key)) {
    throw new Failure('invalid_input', {}, [
      issue('Idempotency-Key', 'Cette clé doit compter de 1 à 200 caractères ASCII.'),
    ]);
  }
  return key;
}

/** The answer kept under the key, or null where the work is now this transaction's to do. */
async function claim(tx: Transaction, call: ActorCall, key: string): Promise<FunctionResponse | null> {
  const hash = createHash('sha256').update(call.name).update('\n').update(JSON.stringify(call.body)).digest();
  const { rows } = await tx.query<Claim>('select claimed, status, body from private.claim_idempotency_key($1, $2)', [
    key,
    hash,
  ]);
  const [claimed] = rows;
  if (claimed === undefined) throw new Error('claim_idempotency_key gave no row');
  if (claimed.claimed) return null;
  return { status: claimed.status ?? 500, text: open(call, key, claimed.body ?? '') };
}

/** Kept answers are encrypted: they may carry a temporary password or bank details. */
function keepQuery(call: ActorCall, key: string, response: FunctionResponse): Query {
  return {
    text: 'select private.keep_idempotent_answer($1, $2, $3)',
    values: [key, response.status, seal(call, key, response.text)],
  };
}

function seal(call: ActorCall, key: string, text: string): string {
  return call.services.secrets.seal(PURPOSE, text, `${call.userId} ${key}`).toString('base64');
}

function open(call: ActorCall, key: string, sealed: string): string {
  return call.services.secrets.open(PURPOSE, Buffer.from(sealed, 'base64'), `${call.userId} ${key}`).toString();
}
