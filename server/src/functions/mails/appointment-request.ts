import type { AppointmentRequest } from '@parrain/domain/forms/appointment-request';

import type { Mail } from '#platform/mail';
import { facts, mail, paragraph, quotation, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** Tells the operator of a request for a demonstration (L-04). */
export function appointmentRequestMail(sender: Sender, to: string, request: AppointmentRequest): Mail {
  const known: readonly (readonly [string, string | null])[] = [
    ['Nom', request.name],
    ['E-mail', request.email],
    ['Téléphone', request.phone],
    ['Créneau souhaité', request.preferredSlot],
  ];
  return mail(sender, {
    template: 'appointment-request',
    to,
    subject: `Demande de rendez-vous : ${request.name}`,
    blocks: [
      title('Une demande de rendez-vous'),
      paragraph('Une démonstration de 30 minutes est demandée depuis la page d’accueil.'),
      facts(known.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))),
      ...(request.message === null ? [] : [quotation(request.message)]),
    ],
    why: 'Message envoyé par le formulaire de rendez-vous.',
  });
}
