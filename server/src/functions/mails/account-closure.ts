import { roleLabels } from '@parrain/domain/role';
import type { Role } from '@parrain/domain/role';

import type { Mail } from '#platform/mail';
import { button, mail, paragraph, phrase, quotation, title } from '#platform/mail-layout';
import type { Block, Sender } from '#platform/mail-layout';

/** Outcome of a closure request: all deleted, only the legal records kept, or unchanged. */
export type ClosureOutcome = 'deleted' | 'closed' | 'rejected';

/** Tells an admin that a person asks for their account to be closed (CO-11, CL-09). */
export function closureRequestMail(
  sender: Sender,
  to: string,
  request: { readonly name: string; readonly role: Role; readonly message: string | null },
): Mail {
  const { name, role, message } = request;
  return mail(sender, {
    template: 'account-closure-request',
    to,
    subject: `${name} demande la fermeture de son compte`,
    blocks: [
      title('Une demande de fermeture de compte'),
      paragraph(phrase`${name} (${roleLabels[role].toLowerCase()}) demande la fermeture de son compte.`),
      ...quoted('Sa raison :', message),
      paragraph('Vous avez un mois pour y répondre. La décision se prend depuis votre vue d’ensemble.'),
      button('Voir la demande', `${sender.publicUrl}/admin/dashboard`),
    ],
    why: `Message envoyé aux administrateurs de ${sender.companyName}.`,
  });
}

/** Tells the person what was decided. */
export function closureDecisionMail(
  sender: Sender,
  to: string,
  decision: { readonly name: string; readonly outcome: ClosureOutcome; readonly notes: string | null },
): Mail {
  const { companyName } = sender;
  const { name, outcome, notes } = decision;
  const sentences: Readonly<Record<ClosureOutcome, string>> = {
    deleted: `Votre compte ${companyName} est fermé et vos données sont supprimées.`,
    closed: `Votre compte ${companyName} est fermé : plus personne ne peut s’y connecter. Votre téléphone, votre mot de passe et vos autres moyens de connexion sont supprimés. Votre nom et votre adresse restent attachés aux contrats, commissions et paiements que la loi impose de conserver dix ans (article L123-22 du Code de commerce).`,
    rejected: `Votre demande de fermeture de compte n’a pas été acceptée. Votre compte ${companyName} reste ouvert.`,
  };
  return mail(sender, {
    template: 'account-closure-decision',
    to,
    subject:
      outcome === 'rejected'
        ? `Votre demande de fermeture de compte – ${companyName}`
        : `Votre compte ${companyName} est fermé`,
    blocks: [
      title(outcome === 'rejected' ? 'Votre compte reste ouvert' : 'Votre compte est fermé'),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(sentences[outcome]),
      ...quoted(outcome === 'rejected' ? 'La raison :' : 'Un mot de votre entreprise :', notes),
    ],
    why:
      outcome === 'rejected'
        ? 'Vous pouvez contester cette réponse auprès de l’entreprise, puis de la CNIL (cnil.fr).'
        : 'Ce message est le dernier que vous recevrez à propos de ce compte.',
  });
}

function quoted(name: string, text: string | null): readonly Block[] {
  return text === null ? [] : [paragraph(name), quotation(text)];
}
