import type { Mail } from '#platform/mail';

import { html } from './html.ts';
import { button, mail, paragraph } from './layout.ts';
import type { Sender } from './layout.ts';

/** Tells a person that an admin removed their second factor (AU-17): an unexpected reset does not go unnoticed. */
export function secondFactorResetMail(sender: Sender, to: string, name: string): Mail {
  const { companyName, publicUrl } = sender;
  const what = `Un administrateur de ${companyName} a retiré la double authentification de votre compte, et vos appareils ont été déconnectés.`;
  const next = 'Vous pouvez vous connecter avec votre mot de passe, puis activer de nouveau une deuxième étape.';
  const warning = 'Si vous ne l’avez pas demandé, changez votre mot de passe et prévenez votre entreprise.';
  return mail(sender, {
    template: 'second-factor-reset',
    to,
    subject: `Votre double authentification a été retirée – ${companyName}`,
    blocks: [
      paragraph(html`Bonjour ${name},`, `Bonjour ${name},`),
      ...[what, next, warning].map((text) => paragraph(html`${text}`, text)),
      button('Se connecter', `${publicUrl}/auth/login`),
    ],
    why: `Message envoyé à propos de votre compte ${companyName}.`,
  });
}
