import clsx from 'clsx';
import type { ComponentProps } from 'react';
import { french } from '@parrain/domain/typography';
import { Picture } from './pictures/picture.tsx';
import { SectionTitle } from './section-title.tsx';

/** The four steps (L-01), one sale followed along one line. */
export function Journey() {
  return (
    <section
      id="fonctionnement"
      aria-labelledby="fonctionnement-titre"
      className="mx-auto max-w-[75rem] px-5 py-20 sm:px-8 lg:py-28"
    >
      <SectionTitle id="fonctionnement-titre" title="De l’invitation au virement, en quatre étapes">
        Suivez la vente de Léa, recommandée par Hugo. C’est le chemin de toutes les autres.
      </SectionTitle>
      <ol className="relative mt-14 lg:mt-20">
        <li aria-hidden className="journey-line absolute top-2 bottom-0 left-4.5 w-px bg-hairline lg:left-1/2" />
        {steps.map((step, index) => (
          <li
            key={step.title}
            className="relative grid grid-cols-[minmax(0,1fr)] gap-x-28 gap-y-6 pb-16 pl-14 last:pb-0 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)] lg:pb-24 lg:pl-0"
          >
            <span
              aria-hidden
              className="tabular-digits absolute top-0 left-0 flex size-9 items-center justify-center rounded-full border border-sapin bg-papier font-heading text-lg font-semibold text-sapin lg:left-1/2 lg:-translate-x-1/2"
            >
              {index + 1}
            </span>
            <div className={clsx('lg:max-w-md lg:pt-0.5', index % 2 === 0 ? 'lg:justify-self-end' : 'lg:order-2')}>
              <h3 className="pt-0.5 text-xl lg:pt-0">{french(step.title)}</h3>
              <p className="mt-2 max-w-[46ch] text-encre-soft">{french(step.text)}</p>
            </div>
            <div
              className={clsx(
                'relative w-full lg:max-w-md',
                // A short stroke ties the picture to the line.
                'lg:before:absolute lg:before:top-4.5 lg:before:h-px lg:before:w-9.5 lg:before:bg-hairline',
                index % 2 === 0 ? 'lg:before:-left-9.5' : 'lg:justify-self-end lg:before:-right-9.5',
              )}
            >
              <Picture name={step.picture} label={step.label} className="rounded-card border" />
            </div>
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
}[] = [
  {
    title: 'Le commercial invite son client',
    text: 'Un e-mail d’invitation part avec ses identifiants. Hugo ouvre son espace, choisit son mot de passe, et peut recommander aussitôt.',
    picture: 'invitation',
    label:
      'L’e-mail d’invitation reçu par Hugo Bernard : son identifiant, son mot de passe temporaire et un bouton pour se connecter.',
  },
  {
    title: 'Le client recommande un ami',
    text: 'Trois champs et un mot personnel. La recommandation arrive chez son commercial dans la seconde, avec le nom de celui qui l’envoie.',
    picture: 'referral',
    label:
      'La recommandation de Hugo, telle que son commercial la reçoit : Léa Fontaine, son téléphone, son e-mail, le message personnel et le statut « Contacté ».',
  },
  {
    title: 'La vente est validée deux fois',
    text: 'Le commercial déclare le contrat, l’entreprise décide. Elle voit les deux commissions au centime avant de valider : c’est cette seconde validation qui les déclenche.',
    picture: 'validation',
    label:
      'La décision de l’entreprise : contrat de 1 234,56 €, commission client de 123,46 €, commission commerciale de 50,00 €, bouton « Valider le contrat ».',
  },
  {
    title: 'La commission est demandée, puis versée',
    text: 'Hugo demande tout ou partie de ce qu’il a gagné : virement, chèque cadeau, don à une association ou remise. Chaque versement reste dans son historique.',
    picture: 'payment',
    label:
      'L’espace de Hugo après le virement : 73,46 € disponibles, 50,00 € reçus, et sa demande de 50,00 € avec le statut « Payée ».',
  },
];
