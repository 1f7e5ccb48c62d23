import { appointmentRequestForm } from '@parrain/domain/forms/appointment-request';
import { parsePayload } from '@parrain/domain/forms/parse-payload';

import { readSender } from '#platform/mail-layout';
import { rateLimited } from '#platform/errors';
import type { Bucket } from '#platform/rate-limit';
import { networkOf } from '#platform/network';

import { answer } from '../call.ts';
import type { FunctionResponse, Call, ProductFunction } from '../call.ts';
import { requireMailLeft } from '../mail-bounds.ts';
import { appointmentRequestMail } from '../mails/appointment-request.ts';

/** L-04: a visitor asks for a demonstration. Kept, told to the admins (DF-10), and mailed to the operator. */
export default { '': { callers: 'everyone', run: requestAppointment } } satisfies ProductFunction;

const PER_NETWORK: Bucket = { capacity: 5, perSeconds: 3600 };
const IN_ALL: Bucket = { capacity: 200, perSeconds: 86_400 };

async function requestAppointment(call: Call): Promise<FunctionResponse> {
  const wanted = parsePayload(appointmentRequestForm, call.body ?? {});
  const { services } = call;
  const wait =
    (await services.rateLimit.takeToken(`appointment:from:${networkOf(call.request.ip)}`, PER_NETWORK)) ||
    (await services.rateLimit.takeToken('appointment', IN_ALL));
  if (wait > 0) throw rateLimited(wait);
  await call.db.asService('a visitor asks for an appointment', async (tx) => {
    await tx.query('select private.ask_appointment($1, $2, $3, $4, $5)', [
      wanted.name,
      wanted.email,
      wanted.phone,
      wanted.preferredSlot,
      wanted.message,
    ]);
    await requireMailLeft(tx, services);
    const operator = addressIn(services.config.mailFrom);
    await services.mail.enqueue(
      tx,
      appointmentRequestMail(await readSender(tx, services.publicUrl()), operator, wanted),
    );
  });
  return answer({
    success: true,
    message: 'Demande de rendez-vous enregistrée. Nous vous recontacterons pour fixer l’heure.',
  });
}

/** The bare address of « Name <address> ». */
function addressIn(from: string): string {
  return /<([^<>]+)>$/u.exec(from.trim())?.[1] ?? from.trim();
}
