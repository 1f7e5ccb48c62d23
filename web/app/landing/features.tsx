import type { ReactNode } from 'react';
import { french } from '@parrain/domain/typography';
import {
  CalculationPicture,
  DashboardsPicture,
  NetworkPicture,
  TrackingPicture,
} from './pictures/feature-pictures.tsx';
import { SectionTitle } from './section-title.tsx';

/** The four blocks (L-01): gestion des équipes, calcul automatique, suivi des ventes, tableaux de bord. */
export function Features() {
  return (
    <section
      id="fonctionnalites"
      aria-labelledby="fonctionnalites-titre"
      className="mx-auto max-w-[75rem] px-5 py-20 sm:px-8 lg:py-28"
    >
      <SectionTitle id="fonctionnalites-titre" title="Tout le programme, au même endroit">
        L’entreprise décide, les commerciaux avancent, les clients suivent. Chacun son espace, une seule vérité.
      </SectionTitle>
      <div className="mt-12 grid gap-5 lg:grid-cols-5">
        {blocks.map((block) => (
          <article
            key={block.title}
            className={`flex min-w-0 flex-col overflow-hidden rounded-card border border-hairline bg-sheet ${block.span}`}
          >
            <div className="flex min-h-48 grow sm:min-h-64 items-center justify-center overflow-hidden border-b border-hairline bg-papier p-5 sm:p-6">
              {block.picture}
            </div>
            <div className="p-6">
              <h3 className="text-lg">{french(block.title)}</h3>
              <p className="mt-1.5 max-w-[60ch] text-encre-soft">{french(block.text)}</p>
            </div>
          </article>
        ))}
      </div>
    </section>
  );
}

const blocks: readonly { title: string; text: string; picture: ReactNode; span: string }[] = [
  {
    title: 'Gestion des équipes',
    text: 'Invitez vos commerciaux, voyez leurs clients et les amis de leurs clients : le réseau de parrainage se lit comme un arbre, branche par branche.',
    picture: <NetworkPicture />,
    span: 'lg:col-span-3',
  },
  {
    title: 'Calcul automatique',
    text: 'Pourcentage ou montant fixe, pour le client et pour le commercial. Le barème fait le calcul et le montre.',
    picture: <CalculationPicture />,
    span: 'lg:col-span-2',
  },
  {
    title: 'Suivi des ventes',
    text: 'Six statuts, deux validations, un historique par vente. Un refus dit toujours pourquoi.',
    picture: <TrackingPicture />,
    span: 'lg:col-span-2',
  },
  {
    title: 'Tableaux de bord',
    text: 'Ce qui attend une décision d’abord, les chiffres ensuite, et derrière chaque chiffre les lignes qui le composent.',
    picture: <DashboardsPicture />,
    span: 'lg:col-span-3',
  },
];
