import multipart from '@fastify/multipart';
import { Failure } from '@parrain/domain/failure';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decodeJwt } from 'jose';

import { sendFailure } from '#platform/errors';
import { bearerOf, identityHook } from '#platform/identity';
import type { IdentityRefusal } from '#platform/identity';
import { parseJsonBodies } from '#platform/request-body';
import type { Services } from '#platform/services';
import { multipartOptions } from '#storage';

import accountants from './accountants/index.ts';
import accountClosure from './account-closure/index.ts';
import assignClient from './assign-client/index.ts';
import apiKeys from './api-keys/index.ts';
import appointmentRequest from './appointment-request/index.ts';
import authSignin from './auth-signin/index.ts';
import authSignup from './auth-signup/index.ts';
import { roleIn, runFunction } from './call.ts';
import type { ProductFunction } from './call.ts';
import cleanDatabase from './clean-database/index.ts';
import { defineCleanup } from './cleanup.ts';
import { defineCountMonths } from './count-months.ts';
import commissionManagement from './commission-management/index.ts';
import companyArchive from './company-archive/index.ts';
import companySettings from './company-settings/index.ts';
import deleteClient from './delete-client/index.ts';
import debts from './debts/index.ts';
import { defineEInvoicing } from '../e-invoicing/index.ts';
import disputes from './disputes/index.ts';
import doubtfulCases from './doubtful-cases/index.ts';
import eInvoicing from './e-invoicing/index.ts';
import { defineForgetContacts } from './forget-contacts.ts';
import friendOptOut from './friend-opt-out/index.ts';
import noticeRefusal from './notice-refusal/index.ts';
import notices from './notices/index.ts';
import { defineFollowUps } from './notices/follow-ups.ts';
import { defineNoticeMailer } from './notices/mailer.ts';
import { definePusher } from './notices/pusher.ts';
import invitationOutcome from './invitation-outcome/index.ts';
import ibanConfirmation from './iban-confirmation/index.ts';
import { defineImportInvitations } from './imports/invitations.ts';
import imports from './imports/index.ts';
import inviteClient from './invite-client/index.ts';
import inviteCommercial from './invite-commercial/index.ts';
import accounting from './accounting/index.ts';
import listViews from './list-views/index.ts';
import ownAccount from './own-account/index.ts';
import appointments from './appointments/index.ts';
import papers from './papers/index.ts';
import paymentBatch from './payment-batch/index.ts';
import paymentRequest from './payment-request/index.ts';
import { defineApplyControls } from './apply-controls.ts';
import { defineBeginScaleVersions } from './begin-scale-versions.ts';
import { defineReleaseHolds } from './release-holds.ts';
import personalLink from './personal-link/index.ts';
import programmeRules from './programme-rules/index.ts';
import receiveReferral from './receive-referral/index.ts';
import reactivateCommercial from './reactivate-commercial/index.ts';
import removeCommercial from './remove-commercial/index.ts';
import resetSecondFactor from './reset-second-factor/index.ts';
import salesManagement from './sales-management/index.ts';
import sendInvitationEmail from './send-invitation-email/index.ts';
import { defineAlarms } from './system-state/alarms.ts';
import systemState from './system-state/index.ts';
import temporaryPassword from './temporary-password/index.ts';
import updateClient from './update-client/index.ts';
import viewAs from './view-as/index.ts';
import webhooks from './webhooks/index.ts';
import phoneRenewal from './phone-renewal/index.ts';
import { defineWebhookSender } from './webhooks/sender.ts';

export {
  callAnswerPage,
  forgetFriend,
  friendOptOutPage,
  knownMarks,
  markOf,
  ownDataPage,
  requestOfTicket,
  scopeOfLink,
  sentRequestPage,
} from './friend-link.ts';
export { refusalOf } from './one-click.ts';
export { referByLink } from './refer-by-link.ts';

/** The product functions (F-01 to F-17), by the names of section 7's table and what the product adds to it. */
const functions: Readonly<Record<string, ProductFunction>> = {
  'auth-signin': authSignin,
  'auth-signup': authSignup,
  'company-archive': companyArchive,
  'company-settings': companySettings,
  'api-keys': apiKeys,
  'invite-commercial': inviteCommercial,
  'remove-commercial': removeCommercial,
  'reactivate-commercial': reactivateCommercial,
  'commission-management': commissionManagement,
  'payment-request': paymentRequest,
  'payment-batch': paymentBatch,
  appointments,
  papers,
  'clean-database': cleanDatabase,
  debts,
  disputes,
  'doubtful-cases': doubtfulCases,
  'e-invoicing': eInvoicing,
  'receive-referral': receiveReferral,
  'sales-management': salesManagement,
  'invite-client': inviteClient,
  imports,
  'invitation-outcome': invitationOutcome,
  'update-client': updateClient,
  'assign-client': assignClient,
  'delete-client': deleteClient,
  'send-invitation-email': sendInvitationEmail,
  'personal-link': personalLink,
  'programme-rules': programmeRules,
  'friend-opt-out': friendOptOut,
  'appointment-request': appointmentRequest,
  notices,
  'iban-confirmation': ibanConfirmation,
  'notice-refusal': noticeRefusal,
  'phone-renewal': phoneRenewal,
  'own-account': ownAccount,
  accounting,
  accountants,
  'list-views': listViews,
  'account-closure': accountClosure,
  'reset-second-factor': resetSecondFactor,
  'system-state': systemState,
  'temporary-password': temporaryPassword,
  'view-as': viewAs,
  webhooks,
};

/** Functions whose acts people are told of. */
const TELLING: ReadonlySet<string> = new Set([
  'auth-signup',
  'assign-client',
  'own-account',
  'sales-management',
  'receive-referral',
  'payment-request',
  'payment-batch',
  'send-invitation-email',
  'debts',
  'disputes',
  'imports',
]);

/** Of a person who is signed in; others send less. */
const BODY_BYTES_MAX = 1_048_576;

/** The door /functions/v1. */
export default async function functionsDoor(app: FastifyInstance, services: Services): Promise<void> {
  defineCleanup(services);
  defineCountMonths(services);
  defineReleaseHolds(services);
  defineBeginScaleVersions(services);
  defineApplyControls(services);
  defineImportInvitations(services);
  defineAlarms(services);
  const mailer = defineNoticeMailer(services);
  const pusher = definePusher(services);
  const told = {
    wake() {
      mailer.wake();
      pusher.wake();
    },
  };
  defineFollowUps(services, told);
  defineForgetContacts(services, told);
  const webhookSender = defineWebhookSender(services);
  const invoicing = defineEInvoicing(services);
  app.addHook('onClose', async () => {
    await Promise.all([mailer.stop(), pusher.stop(), webhookSender.stop(), invoicing.stop()]);
  });
  // JSON and files, nothing else: a form of another site can send neither without asking first.
  app.removeAllContentTypeParsers();
  parseJsonBodies(app);
  await app.register(multipart, multipartOptions);

  app.setErrorHandler(async (error, request, reply) => sendFailure(request, reply, error));
  app.setNotFoundHandler(() => {
    throw new Failure('not_found');
  });
  app.addHook(
    'onRequest',
    identityHook(services, { takesCompanyKeys: true, takesViews: true, refuse: sendIdentityRefusal }),
  );

  for (const [name, actions] of Object.entries(functions)) {
    app.route({
      url: `/${name}`,
      bodyLimit: BODY_BYTES_MAX,
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      handler: async (request, reply) => {
        const { status, text } = await runFunction(name, actions, request, services);
        if (request.method !== 'GET') {
          if (TELLING.has(name)) told.wake();
          webhookSender.wake();
          if (name === 'e-invoicing') invoicing.wake();
        }
        return reply
          .status(status)
          .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
          .send(text);
      },
    });
  }
}

/** A wrong key is the application's mistake; a wrong or expired token is a session that is over, said to its role (E-02). */
async function sendIdentityRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: IdentityRefusal,
): Promise<FastifyReply> {
  if (refusal.reason === 'bad_bearer') {
    return sendFailure(request, reply, new Failure('session_expired', { role: roleNamedIn(request) }));
  }
  return reply.status(401).header('cache-control', 'no-store').send({
    error: 'La clé d’API est absente ou inconnue.',
    code: 'forbidden',
    message: refusal.message,
    hint: refusal.hint,
  });
}

/** The role that an unusable token names: good for nothing but the choice of words. */
function roleNamedIn(request: FastifyRequest): unknown {
  try {
    return roleIn(decodeJwt(bearerOf(request.headers.authorization) ?? ''));
  } catch {
    return undefined;
  }
}
