import { Activity, Calculator, FileDown, History, MailCheck, Timer } from 'lucide-react';
import { french } from '@parrain/domain/typography';
import { sectionClass, SectionTitle } from './section-title.tsx';

/** Six benefits (L-01, L-06), each something the product does; and four words that a French owner looks for (UI-14). */
export function Benefits() {
  return (
    <section id="avantages" aria-labelledby="avantages-titre" className="border-y border-hairline bg-sheet">
      <div className={sectionClass}>
        <SectionTitle id="avantages-titre" title="Moins de tableur, plus de confiance">
          Ce que vos équipes ne feront plus à la main, et ce que vos clients verront d’eux-mêmes.
        </SectionTitle>
        <ul className="mt-7 grid gap-x-10 gap-y-5 sm:grid-cols-2 lg:grid-cols-3">
          {benefits.map((benefit) => (
            <li key={benefit.title} className="flex gap-3.5">
              <benefit.Icon aria-hidden className="mt-0.5 size-5.5 shrink-0 text-sapin" strokeWidth={1.75} />
              <div>
                <h3 className="text-lg">{french(benefit.title)}</h3>
                <p className="mt-0.5 text-encre-soft">{french(benefit.text)}</p>
              </div>
            </li>
          ))}
        </ul>
        <dl className="mt-8 grid grid-cols-2 gap-x-6 gap-y-4 border-t border-hairline pt-5 lg:grid-cols-4">
          {norms.map((norm) => (
            <div key={norm.word}>
              <dt className="font-heading text-xl font-semibold tracking-[-0.02em]">{norm.word}</dt>
              <dd className="mt-0.5 text-encre-soft">{french(norm.text)}</dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}

const benefits = [
  {
    Icon: Timer,
    title: '80 % de travail administratif en moins',
    text: 'Invitations, calculs et relevés se font tout seuls, et les relances si vous le voulez : il reste à décider.',
  },
  {
    Icon: Calculator,
    title: 'Zéro erreur de calcul',
    text: 'Chaque commission est calculée au centime par le barème, arrondie une seule fois, et figée à la validation.',
  },
  {
    Icon: MailCheck,
    title: 'Des invitations prêtes à l’emploi',
    text: 'Un e-mail d’invitation part avec les identifiants, pour chaque commercial et chaque client. L’ami recommandé reçoit un mot de qui le recommande.',
  },
  {
    Icon: History,
    title: 'Une traçabilité totale de chaque vente',
    text: 'Qui a fait quoi, quand, et pourquoi : rien ne s’efface, une correction est une écriture de plus.',
  },
  {
    Icon: Activity,
    title: 'Des tableaux de bord en temps réel',
    text: 'Entreprise, commercial ou client : chacun voit les siens bouger sans recharger la page.',
  },
  {
    Icon: FileDown,
    title: 'Des exports pour votre comptable',
    text: 'Ventes, clients, commissions et paiements en CSV ou Excel, avec les filtres de l’écran.',
  },
] as const;

/** Each is what a screen of the product gives, and no more. */
const norms = [
  {
    word: 'SEPA',
    text: 'Un fichier de virements à déposer à votre banque ; son retour est lu ligne par ligne.',
  },
  {
    word: 'FEC',
    text: 'Les écritures du mois dans les 18\u00a0colonnes du FEC, que votre comptable importe.',
  },
  {
    word: 'DAS2',
    text: 'Les sommes versées dans l’année par bénéficiaire, avec le seuil et ce qui manque pour déclarer.',
  },
  {
    word: 'RGPD',
    text: 'L’ami recommandé voit ses données, les corrige ou les efface, sans compte ni mot de passe.',
  },
] as const;
