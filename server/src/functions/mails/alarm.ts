import { alarmWords } from '@parrain/domain/alarm';
import type { AlarmKind } from '@parrain/domain/alarm';

import type { Mail } from '#platform/mail';
import { button, mail, paragraph, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** Tells an admin of an alarm, when it is raised. */
export function alarmMail(sender: Sender, to: string, kind: AlarmKind): Mail {
  const words = alarmWords[kind];
  return mail(sender, {
    template: 'alarm',
    to,
    subject: `${words.title} – ${sender.companyName}`,
    blocks: [
      title(words.title),
      paragraph(words.meaning),
      paragraph(words.advice),
      button('Voir l’état du système', `${sender.publicUrl}/admin/dashboard`),
    ],
    why: `Message envoyé une fois aux administrateurs de ${sender.companyName}, tant que cela dure.`,
  });
}
