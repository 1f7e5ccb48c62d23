import { LayoutDashboard, ListChecks, Percent } from 'lucide-react';
import { french } from '@parrain/domain/typography';
import { NetworkPicture } from './pictures/network-picture.tsx';
import { sectionClass, SectionTitle } from './section-title.tsx';

/** The four blocks (L-01): gestion des équipes, calcul automatique, suivi des ventes, tableaux de bord. */
export function Features() {
  return (
    <section id="fonctionnalites" aria-labelledby="fonctionnalites-titre" className={sectionClass}>
      <SectionTitle id="fonctionnalites-titre" title="Tout le programme, au même endroit">
        L’entreprise décide, les commerciaux avancent, les clients suivent.
      </SectionTitle>
      <div className="mt-7 grid gap-x-12 gap-y-7 lg:grid-cols-[minmax(0,6fr)_minmax(0,5fr)]">
        <article className="flex min-w-0 flex-col overflow-hidden rounded-card border border-hairline bg-sheet">
          <div className="flex grow items-center justify-center border-b border-hairline bg-papier p-4">
            <NetworkPicture />
          </div>
          <div className="px-5 py-4">
            <h3 className="text-lg">Gestion des équipes</h3>
            <p className="mt-0.5 text-encre-soft">
              {french(
                'Invitez vos commerciaux, voyez leurs clients et les amis de leurs clients : le réseau de parrainage se lit comme un arbre, branche par branche.',
              )}
            </p>
          </div>
        </article>
        <div className="flex flex-col justify-between divide-y divide-hairline">
          {blocks.map((block) => (
            <article key={block.title} className="flex gap-3.5 py-4 first:pt-0 last:pb-0 lg:first:pt-4 lg:last:pb-4">
              <block.Icon aria-hidden className="mt-0.5 size-5.5 shrink-0 text-sapin" strokeWidth={1.75} />
              <div>
                <h3 className="text-lg">{block.title}</h3>
                <p className="mt-0.5 text-encre-soft">{french(block.text)}</p>
              </div>
            </article>
          ))}
        </div>
      </div>
    </section>
  );
}

const blocks = [
  {
    Icon: Percent,
    title: 'Calcul automatique',
    text: 'Pourcentage ou montant fixe, pour le client et pour le commercial. Le barème fait le calcul et le montre : 10 % de 1\u202f234,56 € font 123,46 €.',
  },
  {
    Icon: ListChecks,
    title: 'Suivi des ventes',
    text: 'Six statuts, deux validations, un historique par vente. Un refus dit toujours pourquoi.',
  },
  {
    Icon: LayoutDashboard,
    title: 'Tableaux de bord',
    text: 'Ce qui attend une décision d’abord, les chiffres ensuite, et derrière chaque chiffre les lignes qui le composent.',
  },
] as const;
