import { alarmWords } from '@parrain/domain/alarm';
import type { AlarmKind } from '@parrain/domain/alarm';

import type { Mail } from '#platform/mail';

import { html } from './html.ts';
import { button, mail, paragraph } from './layout.ts';
import type { Sender } from './layout.ts';

/** Tells an admin of an alarm, when it is raised. */
export function alarmMail(sender: Sender, to: string, kind: AlarmKind): Mail {
  const { title, meaning, advice } = alarmWords[kind];
  return mail(sender, {
    template: 'alarm',
    to,
    subject: `${title} – ${sender.companyName}`,
    blocks: [
      paragraph(html`${title}.`, `${title}.`),
      paragraph(html`${meaning}`, meaning),
      paragraph(html`À faire : ${advice}`, `À faire : ${advice}`),
      button('Voir l’état du système', `${sender.publicUrl}/admin/dashboard`),
    ],
    why: `Message envoyé une fois aux administrateurs de ${sender.companyName}, tant que cela dure.`,
  });
}
