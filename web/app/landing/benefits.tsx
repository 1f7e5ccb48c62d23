import { Activity, Calculator, FileDown, History, MailCheck, Timer } from 'lucide-react';
import { french } from '@parrain/domain/typography';
import { SectionTitle } from './section-title.tsx';

/** Six benefits (L-01, L-06), each something the product does. */
export function Benefits() {
  return (
    <section id="avantages" aria-labelledby="avantages-titre" className="border-y border-hairline bg-sheet">
      <div className="mx-auto max-w-[75rem] px-5 py-20 sm:px-8 lg:py-28">
        <SectionTitle id="avantages-titre" title="Moins de tableur, plus de confiance">
          Ce que vos équipes ne feront plus à la main, et ce que vos clients verront d’eux-mêmes.
        </SectionTitle>
        <ul className="mt-12 grid border-t border-l border-hairline sm:grid-cols-2 lg:grid-cols-3">
          {benefits.map((benefit) => (
            <li key={benefit.title} className="border-r border-b border-hairline p-6 lg:p-8">
              <benefit.Icon aria-hidden className="size-5.5 text-sapin" strokeWidth={1.75} />
              <h3 className="mt-5 text-lg">{french(benefit.title)}</h3>
              <p className="mt-1.5 text-encre-soft">{french(benefit.text)}</p>
            </li>
          ))}
        </ul>
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
