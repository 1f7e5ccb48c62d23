import type { ComponentProps } from 'react';
import { french } from '@parrain/domain/typography';
import { Picture } from './pictures/picture.tsx';
import { sectionClass, SectionTitle } from './section-title.tsx';

/** The four steps (L-01), one sale followed along one line: across the page, down it on a phone. */
export function Journey() {
  return (
    <section id="fonctionnement" aria-labelledby="fonctionnement-titre" className={sectionClass}>
      <SectionTitle id="fonctionnement-titre" title="De l’invitation au virement, en quatre étapes">
        Suivez la vente de Léa, recommandée par Hugo. C’est le chemin de toutes les autres.
      </SectionTitle>
      <ol className="relative mt-7 grid gap-x-6 gap-y-8 sm:max-lg:grid-cols-2 lg:grid-cols-4">
        <li
          aria-hidden
          className="journey-line absolute top-2 bottom-0 left-4.5 w-px bg-hairline sm:max-lg:hidden lg:inset-x-0 lg:top-4.5 lg:bottom-auto lg:h-px lg:w-auto"
        />
        {steps.map((step, index) => (
          <li key={step.title} className="relative flex flex-col max-sm:pl-14">
            <span
              aria-hidden
              className="tabular-digits flex size-9 items-center justify-center rounded-full border border-sapin bg-papier font-heading text-lg font-semibold text-sapin max-sm:absolute max-sm:top-0 max-sm:left-0"
            >
              {index + 1}
            </span>
            <h3 className="text-lg sm:mt-4">{french(step.title)}</h3>
            <p className="mt-1 mb-4 text-encre-soft">{french(step.text)}</p>
            <Picture
              name={step.picture}
              label={step.label}
              className={`mt-auto rounded-card border ${step.shown ?? 'max-sm:max-h-40'}`}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

const steps: readonly {
  title: string;
  text: string;
  picture: ComponentProps<typeof Picture>['name'];
  label: string;
  /** Class that limits the height of the picture on a phone. */
  shown?: string;
}[] = [
  {
    title: 'Le commercial invite son client',
    text: 'Un e-mail d’invitation part avec ses identifiants. Hugo choisit son mot de passe, et peut recommander aussitôt.',
    picture: 'invitation',
    label: 'L’e-mail d’invitation reçu par Hugo Bernard : Julien Mercier lui a ouvert son espace client.',
  },
  {
    title: 'Le client recommande un ami',
    text: 'Trois champs et un mot personnel. La recommandation arrive chez son commercial dans la seconde.',
    picture: 'referral',
    label:
      'La recommandation de Hugo, telle que son commercial la reçoit : Léa Fontaine, son téléphone, son e-mail et le statut « Contacté ».',
  },
  {
    title: 'La vente est validée deux fois',
    text: 'Le commercial déclare le contrat, l’entreprise décide : c’est cette seconde validation qui déclenche les commissions.',
    picture: 'validation',
    label:
      'La décision de l’entreprise : commission client de 123,46 €, soit 10 % de 1 234,56 €, commission commerciale de 50,00 €, bouton « Valider le contrat ».',
  },
  {
    title: 'La commission est demandée, puis versée',
    text: 'Virement, chèque cadeau, don ou remise : Hugo choisit. Chaque versement reste dans son historique.',
    picture: 'payment',
    label: 'L’espace de Hugo après le virement : 73,46 € disponibles, aucune demande en cours, 50,00 € reçus.',
    shown: 'max-sm:max-h-60',
  },
];
