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
  readonly full_name: string;
  readonly email: string;
};

/**
 * PO-04: the owner is told of an account that came with this request and replaces another, with the link that confirms it. Nobody
 * writes to an address that its owner has not proven: there the account waits for its day.
 */
export async function tellOfChangedIban(
  services: Pick<Services, 'mail' | 'publicUrl' | 'secrets'>,
  tx: Transaction,
  requestId: string,
): Promise<void> {
  await tx.asService('a changed IBAN is told', async () => {
    const { rows } = await tx.query<ChangedIban>(
      `select i.id, i.usable_from::text as usable_from, r.payment_details ->> 'iban' as shown, p.full_name, p.email
       from public.payment_requests r
       join public.payee_ibans i on i.id = r.iban_id and i.created_at = r.created_at and i.usable_from > now()
       join public.profiles p on p.id = r.client_id
       join auth.users u on u.id = p.id and (u.email_proven_at is not null or u.invited_at is not null)
       where r.id = $1 and p.email <> ''`,
      [requestId],
    );
    const [iban] = rows;
    if (iban === undefined) return;
    const sender = await readSender(tx, services.publicUrl());
    const link = `${services.publicUrl()}/confirmer-iban#${services.secrets.seal(PURPOSE, iban.id).toString('base64url')}`;
    const { email, full_name: name, shown, usable_from: usableFrom } = iban;
    await services.mail.enqueue(tx, changedIbanMail(sender, email, { name, shown, usableFrom, link }));
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
