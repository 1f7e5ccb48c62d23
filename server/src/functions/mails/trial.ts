import type { Mail } from '#platform/mail';

import { html } from './html.ts';
import { mail, paragraph } from './layout.ts';
import type { Sender } from './layout.ts';

/** A message that an admin sends to themselves: that it arrives is all it says. */
export function trialMail(sender: Sender, to: string): Mail {
  const text = `Si vous lisez ce message, ${sender.companyName} peut envoyer des e-mails.`;
  return mail(sender, {
    template: 'trial',
    to,
    subject: `Message d’essai – ${sender.companyName}`,
    blocks: [paragraph(html`${text}`, text)],
    why: 'Message demandé depuis « État du système ».',
  });
}
