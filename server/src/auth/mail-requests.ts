import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import type { Services } from '#platform/services';

import { accountByEmail } from './account.ts';
import { audit } from './audit.ts';
import { recoveryMail } from './mails.ts';
import { isCoolingDown, issueOneTimeToken } from './one-time-token.ts';
import type { Scope } from './operation.ts';
import { authSettings } from './settings.ts';
import type { AuthSettings } from './settings.ts';
import { sendConfirmation } from './sign-up.ts';

const TASK = 'auth_mail_request';
const PURPOSE = 'auth-mail-request';

const requestSchema = z.object({
  kind: z.enum(['recovery', 'confirmation']),
  email: z.string(),
  redirectTo: z.string(),
  ip: z.string(),
});
type MailRequest = Omit<z.output<typeof requestSchema>, 'ip'>;

/**
 * Asks for a mail to whoever has this address, if anybody has. Whether there is an account is found out later, by a job:
 * the request does the same work and takes the same time for every address.
 */
export async function requestMail({ services, db, origin }: Scope, request: MailRequest): Promise<void> {
  if (!services.mail.isConfigured) {
    services.log.warn({ kind: request.kind }, 'No SMTP server is configured: no mail can leave');
    return;
  }
  const id = randomUUID();
  const sealed = services.secrets.seal(PURPOSE, JSON.stringify({ ...request, ip: origin.ip }), id).toString('base64');
  await db.asService('auth: mail asked for', (tx) =>
    services.jobs.enqueue(tx, TASK, { id, sealed }, { maxAttempts: 5 }),
  );
}

/** Names the job that finds the account and sends the mail. Before the jobs start. */
export function defineMailRequests(services: Services, overrides: Partial<AuthSettings>): void {
  services.jobs.define(TASK, async (payload) => {
    const { id, sealed } = z.object({ id: z.uuid(), sealed: z.string() }).parse(payload);
    const request = requestSchema.parse(
      JSON.parse(services.secrets.open(PURPOSE, Buffer.from(sealed, 'base64'), id).toString()),
    );
    await send(
      {
        services,
        db: services.db.withRequest({ requestId: id }),
        settings: authSettings(services, overrides),
        origin: { ip: request.ip, userAgent: null },
      },
      request,
    );
  });
}

async function send(scope: Scope, { kind, email, redirectTo }: MailRequest): Promise<void> {
  await scope.db.asService('auth: mail asked for', async (tx) => {
    const account = await accountByEmail(tx, email);
    if (account === null || account.email === null || account.is_barred) return;
    if (await isCoolingDown(tx, scope, account.id, kind)) return;
    switch (kind) {
      case 'confirmation':
        if (account.email_confirmed_at === null)
          await sendConfirmation(tx, scope, account.id, account.email, redirectTo);
        return;
      case 'recovery': {
        const issued = await issueOneTimeToken(tx, scope, {
          userId: account.id,
          kind: 'recovery',
          email: account.email,
          redirectTo,
        });
        await tx.query('update auth.users set recovery_sent_at = now() where id = $1', [account.id]);
        await audit(tx, scope.origin, 'recovery_requested', account.id);
        await scope.services.mail.enqueue(tx, await recoveryMail(tx, scope, account.email, issued));
      }
    }
  });
}
