import type { Mail } from '#platform/mail';
import { mail, paragraph, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/**
 * A message that an admin sends to themselves: that it arrives is all it says. It is tried once: a later attempt would come
 * when nobody waits for it.
 */
export function trialMail(sender: Sender, to: string): Mail {
  return {
    ...mail(sender, {
      template: 'trial',
      to,
      subject: `Message d’essai – ${sender.companyName}`,
      blocks: [
        title('Message d’essai'),
        paragraph(`Si vous lisez ce message, ${sender.companyName} peut envoyer des e-mails.`),
      ],
      why: 'Message demandé depuis « État du système ».',
    }),
    attempts: 1,
  };
}
