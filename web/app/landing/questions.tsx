import { Plus } from 'lucide-react';
import { french } from '@parrain/domain/typography';
import { sectionClass, SectionTitle } from './section-title.tsx';

/** The questions of an owner before an appointment (UI-14); each answer is what the product does today. */
export function Questions() {
  return (
    <section id="questions" aria-labelledby="questions-titre" className="border-b border-hairline bg-sheet">
      <div className={sectionClass}>
        <SectionTitle id="questions-titre" title="Vos questions, avant le rendez-vous" />
        <div className="mt-6 grid gap-x-12 lg:grid-cols-2">
          {[questions.slice(0, 4), questions.slice(4)].map((column) => (
            <div key={column[0]?.ask} className="divide-y divide-hairline border-hairline max-lg:first:border-b">
              {column.map(({ ask, answer }) => (
                <details key={ask} className="group">
                  <summary className="flex min-h-12 list-none items-center justify-between gap-4 py-3 font-medium hover:text-sapin [&::-webkit-details-marker]:hidden">
                    {french(ask)}
                    <Plus
                      aria-hidden
                      className="disclosure-sign size-4.5 shrink-0 text-encre-faint transition-transform duration-150"
                    />
                  </summary>
                  <p className="max-w-[62ch] pb-4 text-encre-soft">{french(answer)}</p>
                </details>
              ))}
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}

const questions = [
  {
    ask: 'Combien coûte Parrain ?',
    answer:
      'Le tarif est sur devis : il dépend du nombre de commerciaux et de clients, des fonctionnalités et du volume d’activité. Le rendez-vous qui y mène est gratuit et dure 30 minutes. Les commissions, elles, sont à vous de les fixer, dans vos barèmes.',
  },
  {
    ask: 'Qui valide une vente ?',
    answer:
      'Deux personnes : le commercial déclare le contrat signé, puis un administrateur de l’entreprise le valide ou le refuse, en disant pourquoi. Aucune commission n’est due avant cette seconde validation.',
  },
  {
    ask: 'Parrain fait-il les virements ?',
    answer:
      'Non : votre argent ne passe pas par Parrain. Il prépare le fichier SEPA des paiements approuvés, vous le déposez à votre banque, et l’importation de son retour marque chaque ligne payée ou rejetée. Vous pouvez aussi payer vous-même et l’indiquer.',
  },
  {
    ask: 'Que reçoit mon comptable ?',
    answer:
      'Les écritures de chaque mois, avec vos numéros de compte, dans un fichier au format du FEC ; les sommes de la DAS2 par bénéficiaire ; les relevés et les pièces en PDF. Parrain ne déclare rien à votre place : votre comptable vérifie et déclare.',
  },
  {
    ask: 'Est-ce conforme au RGPD ?',
    answer:
      'Parrain vous en donne les moyens : l’ami recommandé peut voir, corriger ou effacer ses données, ou refuser d’être contacté ; les coordonnées bancaires sont chiffrées, et leurs lectures inscrites au journal. Vous restez responsable du traitement, et informez vos clients.',
  },
  {
    ask: 'Que voient mes clients et mes commerciaux ?',
    answer:
      'Chacun ses propres affaires : le client, ses parrainages, ses commissions et ses demandes de paiement ; le commercial, ses clients et les amis qu’ils lui recommandent. La base de données elle-même refuse le reste.',
  },
  {
    ask: 'Et si un contrat est réduit ou annulé ?',
    answer:
      'Une correction s’ajoute, elle n’efface pas : les commissions sont reprises au centime, selon le barème de la vente, et l’historique garde les deux écritures.',
  },
  {
    ask: 'Puis-je repartir avec mes données ?',
    answer:
      'Oui. Chaque liste s’exporte en CSV ou Excel, et un administrateur télécharge l’archive de toute l’entreprise, chaque colonne expliquée.',
  },
] as const;
