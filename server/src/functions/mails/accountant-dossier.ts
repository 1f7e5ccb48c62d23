import { placePath } from '@parrain/domain/notice-place';
import { fromWire, groupThousands } from '@parrain/domain/money';
import { statementDays } from '@parrain/domain/statement';
import type { StatementPeriod } from '@parrain/domain/statement';

import type { Mail } from '#platform/mail';
import { amount, button, facts, mail, paragraph, phrase, small, title } from '#platform/mail-layout';
import type { Sender } from '#platform/mail-layout';

/** To the accountant: a period is ready. It attaches nothing: whoever opens the link signs in first (UI-12). */
export function accountantDossierMail(
  sender: Sender,
  ready: {
    readonly email: string;
    readonly name: string;
    readonly sentBy: string;
    readonly period: StatementPeriod;
    readonly lines: number;
    /** Of the journal: its debit and its credit. */
    readonly total: string;
  },
): Mail {
  const { email, name, sentBy, period, lines, total } = ready;
  const { companyName, publicUrl } = sender;
  const place = { section: 'comptabilite', detail: { periode: period.name } };
  return mail(sender, {
    template: 'accountant-dossier',
    to: email,
    subject: `${companyName} : le dossier comptable est prêt (${period.label})`,
    preview: `${period.label}, ${statementDays(period)}.`,
    blocks: [
      title('Le dossier comptable est prêt'),
      paragraph(phrase`Bonjour ${name},`),
      paragraph(phrase`${sentBy} vous envoie le dossier comptable du parrainage de ${companyName}.`),
      amount('Total du journal, au débit comme au crédit', fromWire(total)),
      facts([
        ['Période', `${period.label}, ${statementDays(period)}`],
        ['Écritures', `${groupThousands(String(lines))} ligne${lines > 1 ? 's' : ''}`],
      ]),
      button('Ouvrir le dossier', `${publicUrl}${placePath('comptable', place)}`),
      small('Connectez-vous avec votre e-mail et votre mot de passe : rien n’est joint à ce message.'),
    ],
    why: `Message envoyé au comptable de ${companyName}.`,
  });
}
