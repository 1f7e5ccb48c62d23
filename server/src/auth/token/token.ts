import { requireCaptcha } from '../protocol/captcha.ts';
import { AuthError } from '../protocol/errors.ts';
import type { OperationReply, Call, Operation } from '../protocol/operation.ts';
import { queryValue } from '../protocol/request.ts';
import { idTokenGrant } from '../providers/openid/token-id-token.ts';
import { web3Grant } from '../providers/web3/token-web3.ts';
import { pkceGrant } from './by-code.ts';
import { passwordGrant } from './by-password.ts';
import { refreshGrant } from './by-refresh.ts';

const grants: Readonly<Record<string, (call: Call) => Promise<OperationReply>>> = {
  password: passwordGrant,
  refresh_token: refreshGrant,
  pkce: pkceGrant,
  id_token: idTokenGrant,
  web3: web3Grant,
};

/** The grants by which a secret could be guessed. */
const FOR_PEOPLE: ReadonlySet<string> = new Set(['password', 'web3']);

/** POST /token?grant_type=…: one file per grant. */
export const token: Operation = {
  method: 'POST',
  url: '/token',
  bodyBytesMax: 65_536,
  access: 'public',
  async handle(call) {
    const grant = queryValue(call.request, 'grant_type') ?? '';
    if (!Object.hasOwn(grants, grant)) throw new AuthError(400, 'invalid_credentials', 'unsupported_grant_type');
    if (FOR_PEOPLE.has(grant)) await requireCaptcha(call, call.request);
    return (grants[grant] as (call: Call) => Promise<OperationReply>)(call);
  },
};
