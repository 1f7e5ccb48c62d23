import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';
import type { Services } from '#platform/services';

import { newCredentials, invitationOfImport } from '../invitation.ts';
import { accountInvitation } from '../mails/account-invitation.ts';

const TASK = 'import_invitations';
/** Mails put in the outbox within one run: 1 800 an hour, less where `MAILS_PER_HOUR` says less. */
const PER_RUN = 30;

type Invited = {
  readonly import_id: string;
  readonly line: number;
  readonly id: string;
  readonly full_name: string;
  readonly email: string;
  readonly invited_by: string;
};

/**
 * EX-04: invites imported clients, some each minute, in the order of their files. Each gets a temporary password when their mail
 * goes into the outbox, so that none lapses while thousands wait. Several nodes may do so at once.
 */
export function defineImportInvitations(services: Services): void {
  services.jobs.define(TASK, async (_payload, { signal }) => {
    for (let sent = 0; sent < PER_RUN && !signal.aborted; sent += 1) {
      if (!(await inviteNext(services))) return;
    }
  });
  services.jobs.schedule(TASK, '* * * * *');
}

/** Begins without waiting for the next minute. */
export async function startImportInvitations(tx: Transaction, { jobs }: Services): Promise<void> {
  await jobs.enqueue(tx, TASK, {});
}

/** @returns false where nobody waits, or no mail is left for now. */
async function inviteNext(services: Services): Promise<boolean> {
  if (!services.mail.isConfigured) return false;
  const isSomebodyDue = await services.db.queryAsService('imports: who is to be invited', {
    text: `select from private.imported_rows where invitation = 'due' limit 1`,
    values: [],
  });
  if (isSomebodyDue.rows.length === 0) return false;
  // Hashing takes its time: before a row is locked.
  const { temporaryPassword, passwordHash, temporaryUntil } = await newCredentials(services);
  return services.db.asService('imports: invite a client', async (tx) => {
    const { rows } = await tx.query<Invited>(
      `select r.import_id, r.line, p.id, p.full_name, p.email, m.full_name as invited_by
       from private.imported_rows r join public.profiles p on p.id = r.profile_id
         join private.imports i on i.id = r.import_id join public.profiles m on m.id = i.made_by
       where r.invitation = 'due' order by i.written_at, r.import_id, r.line limit 1 for update of r skip locked`,
    );
    const [client] = rows;
    if (client === undefined) return false;
    const fate = await invitationOfImport(tx, services, client.email);
    if (fate === 'no_mail_left') return false;
    // A client who has signed up by themselves needs no invitation; a mailbox that has had many today gets no more.
    const { rowCount } =
      fate === 'mailbox_is_full'
        ? { rowCount: 0 }
        : await tx.query(
            `update auth.users set encrypted_password = $2, temporary_password_until = $3, password_change_required = true,
               invited_at = now(), updated_at = now()
             where id = $1 and encrypted_password is null and last_sign_in_at is null`,
            [client.id, passwordHash, temporaryUntil],
          );
    const isInvited = rowCount === 1;
    if (isInvited) {
      const mailId = await services.mail.enqueue(
        tx,
        accountInvitation(await readSender(tx, services.publicUrl()), {
          as: 'client',
          name: client.full_name,
          email: client.email,
          temporaryPassword,
          invitedBy: client.invited_by,
        }),
      );
      await tx.query('update auth.users set invitation_mail_id = $2 where id = $1', [client.id, mailId]);
    }
    await tx.query('update private.imported_rows set invitation = $3 where import_id = $1 and line = $2', [
      client.import_id,
      client.line,
      isInvited ? 'sent' : 'never',
    ]);
    return true;
  });
}
