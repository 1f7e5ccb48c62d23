import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { identityHook } from '#platform/identity';
import type { Bucket } from '#platform/rate-limit';
import { ANONYMOUS_BYTES_MAX, parseJsonBodies, refuseLargeBody } from '#platform/request-body';
import type { Services } from '#platform/services';

import { adminListFactors, adminRemoveFactor, adminUpdateFactor } from './admin/admin-factors.ts';
import { adminListPasskeys, adminRemovePasskey } from './admin/admin-passkeys.ts';
import { createUser } from './admin/create-user.ts';
import { deleteUser } from './admin/delete-user.ts';
import { generateLink } from './admin/generate-link.ts';
import { getUserById } from './admin/get-user.ts';
import { invite } from './admin/invite.ts';
import { listUsers } from './admin/list-users.ts';
import { updateUserById } from './admin/update-user.ts';
import { defineMailRequests } from './codes/mail-requests.ts';
import { magicLink, otp } from './codes/otp.ts';
import { reauthenticate } from './codes/reauthenticate.ts';
import { recover } from './codes/recover.ts';
import { resend } from './codes/resend.ts';
import { defineTextRequests } from './codes/text-requests.ts';
import { verifyLinkPage, verifyPage } from './codes/verify-page.ts';
import { verify, verifyContinue } from './codes/verify.ts';
import { challengeFactor } from './factors/challenge-factor.ts';
import { enrolFactor } from './factors/enrol-factor.ts';
import {
  makeRecoveryCodes,
  recoveryCodesStatus,
  remakeRecoveryCodes,
  removeRecoveryCodes,
  useRecoveryCode,
} from './factors/recovery-codes.ts';
import { unenrolFactor } from './factors/unenrol-factor.ts';
import { verifyFactor } from './factors/verify-factor.ts';
import { passkeyAuthentication, passkeyAuthenticationOptions } from './passkeys/authentication.ts';
import { listPasskeys, removePasskey, renamePasskey } from './passkeys/own-passkeys.ts';
import { passkeyRegistration, passkeyRegistrationOptions } from './passkeys/registration.ts';
import { requireCaptcha } from './protocol/captcha.ts';
import { AuthError, rateLimited, sendAuthError } from './protocol/errors.ts';
import { takeNetworkToken } from './protocol/network-limit.ts';
import type { OperationReply, Call, LiveSession, Operation } from './protocol/operation.ts';
import { originOf } from './protocol/request.ts';
import { authSettings } from './protocol/settings.ts';
import type { AuthSettings } from './protocol/settings.ts';
import { authorize } from './providers/authorize.ts';
import { callbackByAddress, callbackByForm } from './providers/callback.ts';
import { linkIdentityByProvider } from './providers/link-identity.ts';
import { sso, ssoMetadata, ssoReturn } from './providers/saml/sso.ts';
import { unlinkIdentity } from './providers/unlink-identity.ts';
import { defineCleanup } from './service/cleanup.ts';
import { health } from './service/health.ts';
import { publicSettings } from './service/public-settings.ts';
import { signingKeys } from './service/signing-keys.ts';
import { hasSecretKey, requireSecretKey, requireSession } from './sessions/caller.ts';
import { logout } from './sessions/logout.ts';
import { signup } from './sign-up/signup.ts';
import { token } from './token/token.ts';
import { getUser } from './user/get-user.ts';
import { updateUser } from './user/update-user.ts';

export {
  generateTemporaryPassword,
  hashPassword,
  signInWithPassword,
  signUpClient,
  TEMPORARY_PASSWORD_HOURS,
  verifyPassword,
} from './for-other-doors.ts';
export type { SessionObject } from './sessions/session-answer.ts';

/** The route table, by room. `AUTH_ROOMS` in `.dependency-cruiser.cjs` has the rooms from the ground up. */
export const operations: readonly Operation[] = [
  // service/
  publicSettings,
  health,
  signingKeys,
  // sessions/
  logout,
  // codes/
  verify,
  verifyPage,
  verifyLinkPage,
  verifyContinue,
  recover,
  resend,
  otp,
  magicLink,
  reauthenticate,
  // factors/
  enrolFactor,
  challengeFactor,
  verifyFactor,
  unenrolFactor,
  recoveryCodesStatus,
  makeRecoveryCodes,
  remakeRecoveryCodes,
  useRecoveryCode,
  removeRecoveryCodes,
  // passkeys/
  passkeyRegistrationOptions,
  passkeyRegistration,
  passkeyAuthenticationOptions,
  passkeyAuthentication,
  listPasskeys,
  renamePasskey,
  removePasskey,
  // providers/
  authorize,
  callbackByAddress,
  callbackByForm,
  linkIdentityByProvider,
  unlinkIdentity,
  sso,
  ssoMetadata,
  ssoReturn,
  // sign-up/
  signup,
  // user/
  getUser,
  updateUser,
  // token/
  token,
  // admin/
  listUsers,
  createUser,
  getUserById,
  updateUserById,
  deleteUser,
  invite,
  generateLink,
  adminListFactors,
  adminRemoveFactor,
  adminUpdateFactor,
  adminListPasskeys,
  adminRemovePasskey,
];

/** Of the secret key. */
const ADMIN_BYTES_MAX = 1_048_576;

/** The door /auth/v1: accounts and sessions, as the official client speaks to them. One operation, one file. */
export default async function auth(
  app: FastifyInstance,
  services: Services,
  overrides: Partial<AuthSettings> = {},
): Promise<void> {
  defineMailRequests(services, overrides);
  defineTextRequests(services, overrides);
  defineCleanup(services);
  parseBodies(app);
  const callOf = (request: FastifyRequest): Call => ({
    request,
    services,
    settings: authSettings(services, overrides),
    db: services.db.withRequest({ requestId: request.id }),
    origin: originOf(request),
  });
  if (!app.hasRequestDecorator('caller')) app.decorateRequest('caller', null);
  app.setErrorHandler(async (error, request, reply) => sendAuthError(request, reply, error));
  app.setNotFoundHandler(async (request, reply) => sendAuthError(request, reply, notFound()));
  // Encapsulated: an unknown address under the prefix gets this door's 404.
  app.all('/*', async () => {
    throw notFound();
  });

  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: operation.url,
      bodyLimit: operation.access === 'admin' ? ADMIN_BYTES_MAX : (operation.bodyBytesMax ?? ANONYMOUS_BYTES_MAX),
      onRequest: [
        ...(operation.access === 'browser' ? [] : [requireKey(services)]),
        // Before the body is read.
        async (request) => {
          if (operation.access === 'admin' && !hasSecretKey(services, request)) refuseLargeBody(request);
          if (operation.limit !== undefined) await takeNetworkToken(callOf(request), operation.limit);
        },
      ],
      handler: async (request, reply) => {
        const call = callOf(request);
        return send(reply, await withTimeout(call, perform(operation, call)));
      },
    });
  }
}

/**
 * The client retries after a 504. Work that has begun may still finish: every operation can be asked twice.
 * @throws AuthError request_timeout
 */
async function withTimeout(call: Call, work: Promise<OperationReply>): Promise<OperationReply> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    call.request.log.warn({ requestId: call.request.id }, 'A request took too long');
    reject(new AuthError(504, 'request_timeout', 'Processing this request timed out, please retry after a moment.'));
  }, call.settings.requestSeconds * 1000);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

async function perform(operation: Operation, call: Call): Promise<OperationReply> {
  if (operation.isForPeople === true) await requireCaptcha(call, call.request);
  switch (operation.access) {
    case 'public':
    case 'browser':
      return operation.handle(call);
    case 'session':
      return operation.handle({ ...call, session: await requireActiveSession(operation, call) });
    case 'admin':
      await requireSecretKey(call);
      return operation.handle(call);
  }
}

/** Limit on the changes that one person makes to their account in a day (FX-07): each leaves an entry in a log that is kept. */
const ACTS: Bucket = { capacity: 500, perSeconds: 86_400 };

/** The caller's live session. Reads and sign-outs are not counted; a request for a code (GET /reauthenticate) is. */
async function requireActiveSession({ method, url }: Operation, call: Call): Promise<LiveSession> {
  const session = await requireSession(call);
  if ((method === 'GET' && url !== '/reauthenticate') || url === '/logout') return session;
  const { id } = session.account;
  const wait = await call.services.rateLimit.takeToken(`day:acts:${id}`, ACTS);
  if (wait === 0) return session;
  throw rateLimited(wait);
}

function send(reply: FastifyReply, { status = 200, body, headers = {} }: OperationReply): FastifyReply {
  void reply.status(status).header('cache-control', 'no-store').headers(headers);
  return body === undefined ? reply.send() : reply.send(body);
}

/**
 * The API key identifies the application. Only the operations that need a bearer read it: on the others the client sends
 * the key there too.
 */
function requireKey(services: Services): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return identityHook(services, {
    bearer: 'ignore',
    refuse: async (request, reply, refusal) => {
      await sendAuthError(request, reply, new AuthError(401, 'no_authorization', refusal.message));
    },
  });
}

/** The client names JSON on every request that is not a GET, with or without a body. */
function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  parseJsonBodies(app);
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body.toString())));
  });
}

function notFound(): AuthError {
  return new AuthError(404, 'not_found', 'There is nothing at this address');
}
