import { z } from 'zod';

import type { Transaction } from '#platform/database';
import { readSender } from '#platform/mail-layout';
import type { Services } from '#platform/services';

import { changedIbanMail } from '../mails/changed-iban.ts';

const PURPOSE = 'iban-confirmation';

type ChangedIban = {
  readonly id: string;
  readonly usable_from: string;
  readonly shown: string;
  readonly is_request: boolean;
  readonly full_name: string;
  readonly email: string;
};

/**
 * PO-04: the owner is told of an account that came with this request, or that a commercial gave, and replaces another, with the link that
 * confirms it. Nobody writes to an address that its owner has not proven: there the account waits for its day.
 */
export async function tellOfChangedIban(
  services: Pick<Services, 'mail' | 'publicUrl' | 'secrets'>,
  tx: Transaction,
  /** Of the request, or of the commercial's account. */
  sourceId: string,
): Promise<void> {
  await tx.asService('a changed IBAN is told', async () => {
    const { rows } = await tx.query<ChangedIban>(
      `select i.id, i.usable_from::text as usable_from, g.shown, g.is_request, p.full_name, p.email
       from (
         select r.client_id as payee_id, r.iban_id, r.created_at, r.payment_details ->> 'iban' as shown, true as is_request
         from public.payment_requests r where r.id = $1
         union all
         select a.payee_id, a.iban_id, a.created_at, a.iban, false from public.bank_accounts a where a.id = $1) g
       join public.payee_ibans i on i.id = g.iban_id and i.created_at = g.created_at and i.usable_from > now()
       join public.profiles p on p.id = g.payee_id
       join auth.users u on u.id = p.id and (u.email_proven_at is not null or u.invited_at is not null)
       where p.email <> ''`,
      [sourceId],
    );
    const [iban] = rows;
    if (iban === undefined) return;
    const sender = await readSender(tx, services.publicUrl());
    const link = `${services.publicUrl()}/confirmer-iban#${services.secrets.seal(PURPOSE, iban.id).toString('base64url')}`;
    const { email, full_name: name, shown, usable_from: usableFrom, is_request: isRequest } = iban;
    await services.mail.enqueue(tx, changedIbanMail(sender, email, { name, shown, isRequest, usableFrom, link }));
  });
}

/** The account that a link confirms; null of a link that is not ours. */
export function ibanOfLink({ secrets }: Pick<Services, 'secrets'>, token: string): string | null {
  try {
    return z.uuid().parse(secrets.open(PURPOSE, Buffer.from(token, 'base64url')).toString());
  } catch {
    return null;
  }
}
