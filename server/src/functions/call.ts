import type { ApiKeyScope } from '@parrain/domain/api-key';
import { Failure } from '@parrain/domain/failure';
import type { FailureIssue } from '@parrain/domain/failure';
import { isRole } from '@parrain/domain/role';
import type { Role } from '@parrain/domain/role';
import type { FastifyRequest } from 'fastify';

import type { Database, Identity } from '#platform/database';
import { callerOf } from '#platform/identity';
import type { AccessClaims } from '#platform/tokens';
import type { Services } from '#platform/services';

/** One function of section 7's table: the actions its address has. The one without a name has the name ''. */
export type ProductFunction = Readonly<Record<string, Action>>;

/** Something a function does, and for whom. The database checks the same right again, on its own. */
type Action =
  | {
      readonly method?: 'GET';
      readonly callers: 'everyone';
      readonly scope?: undefined;
      readonly run: (call: Call) => Promise<FunctionResponse>;
    }
  | {
      readonly method?: 'GET';
      readonly callers: readonly Role[];
      readonly scope?: undefined;
      /** Between a person and the product alone: closed to whoever sees their screen (UI-15). */
      readonly isPrivate?: true;
      readonly run: (call: UserCall) => Promise<FunctionResponse>;
    }
  | {
      readonly method?: 'GET';
      readonly callers: readonly Role[];
      /** Scope that a key of the company needs to call it too; every other action is closed to keys (WH-01). */
      readonly scope: ApiKeyScope;
      readonly run: (call: ActorCall) => Promise<FunctionResponse>;
    };

/** A call, its key verified and its action resolved. */
export type Call = {
  /** Function and action: « payment-request/create ». */
  readonly name: string;
  readonly services: Services;
  readonly request: FastifyRequest;
  readonly db: Database;
  /** The payload as it came; null where there was none. An action never believes it before a schema has. */
  readonly body: Readonly<Record<string, unknown>> | null;
};

/** A call of somebody the database knows: a person, or a key of the company. */
export type ActorCall = Call & {
  readonly identity: Extract<Identity, { role: 'authenticated' | 'api_key' }>;
  /** The person's id, or the key's. */
  readonly userId: string;
};

/** An authenticated call. */
export type UserCall = ActorCall & {
  readonly identity: Extract<Identity, { role: 'authenticated' }>;
  readonly role: Role;
};

/** The HTTP response of a function: its status and its JSON as text, so that what is kept under an idempotency key is repeated byte for byte. */
export type FunctionResponse = {
  readonly status: number;
  readonly text: string;
};

export function answer(body: Readonly<Record<string, unknown>>, status = 200): FunctionResponse {
  return { status, text: JSON.stringify(body) };
}

/** Finds the action of a request and runs it. @throws Failure */
export async function runFunction(
  name: string,
  actions: ProductFunction,
  request: FastifyRequest,
  services: Services,
): Promise<FunctionResponse> {
  const body = payloadOf(request);
  const actionName = '' in actions ? '' : actionNameOf(request, body);
  const action = Object.hasOwn(actions, actionName) ? actions[actionName] : undefined;
  if (action === undefined) throw new Failure('action_unknown');
  if (request.method !== (action.method ?? 'POST')) throw new Failure('method_not_allowed');

  const { db, identity, claims } = callerOf(request);
  const call: Call = { name: actionName === '' ? name : `${name}/${actionName}`, services, request, db, body };
  if (identity.role === 'api_key') {
    if (action.scope === undefined) throw new Failure('key_closed');
    // The database asks for the scope.
    return action.run({ ...call, identity, userId: identity.keyId });
  }
  if (claims?.act !== undefined && (action.callers === 'everyone' || 'isPrivate' in action))
    throw new Failure('view_reads');
  if (action.callers === 'everyone') return action.run(call);
  if (identity.role !== 'authenticated' || claims === null) throw new Failure('session_expired');
  const role = roleIn(claims);
  if (role === null || !action.callers.includes(role)) {
    request.log.warn({ function: call.name, role }, 'A call was refused: not for this role');
    throw new Failure('forbidden');
  }
  return action.run({ ...call, identity, userId: claims.sub, role });
}

/** The role a token names; null where it names none. */
export function roleIn(claims: Pick<AccessClaims, string>): Role | null {
  const metadata = claims['app_metadata'];
  const role = typeof metadata === 'object' && metadata !== null && 'role' in metadata ? metadata.role : null;
  return isRole(role) ? role : null;
}

/** The JSON payload of a request. An upload's body is read by its own action. */
function payloadOf(request: FastifyRequest): Call['body'] {
  const { body } = request;
  if (body === undefined || body === null || request.isMultipart()) return null;
  if (typeof body !== 'object' || Array.isArray(body)) throw new Failure('invalid_input');
  return body as Record<string, unknown>;
}

/** The action stands in the address or in the payload; in both, even the same, is one too many (W19). */
function actionNameOf(request: FastifyRequest, body: Call['body']): string {
  const { action: inQuery } = request.query as { action?: unknown };
  const inBody = body?.['action'];
  if (inQuery !== undefined && inBody !== undefined) {
    throw new Failure('action_unknown', {}, [issue('action', 'L’action est indiquée deux fois.')]);
  }
  const action = inQuery ?? inBody;
  return typeof action === 'string' ? action : '';
}

export function issue(field: string, message: string): FailureIssue {
  return { path: [field], message };
}
