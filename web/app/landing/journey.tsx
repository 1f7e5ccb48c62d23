import clsx from 'clsx';
import type { ReactNode } from 'react';
import { french } from '@parrain/domain/typography';
import { InvitationPicture, PaymentPicture, ReferralPicture, ValidationPicture } from './pictures/journey-pictures.tsx';
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
              className="figures absolute top-0 left-0 flex size-9 items-center justify-center rounded-full border border-sapin bg-papier font-heading text-lg font-semibold text-sapin lg:left-1/2 lg:-translate-x-1/2"
            >
              {index + 1}
            </span>
            <div className={clsx('lg:max-w-md lg:pt-0.5', index % 2 === 0 ? 'lg:justify-self-end' : 'lg:order-2')}>
              <h3 className="pt-0.5 text-xl lg:pt-0">{french(step.title)}</h3>
              <p className="mt-2 max-w-[46ch] text-encre-soft">{french(step.text)}</p>
              <p className="mt-3 text-sm text-encre-faint">{french(step.when)}</p>
            </div>
            <div
              className={clsx(
                'relative w-full lg:max-w-md',
                // A short stroke ties the picture to the line.
                'lg:before:absolute lg:before:top-4.5 lg:before:h-px lg:before:w-9.5 lg:before:bg-hairline',
                index % 2 === 0 ? 'lg:before:-left-9.5' : 'lg:justify-self-end lg:before:-right-9.5',
              )}
            >
              {step.picture}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const steps: readonly { title: string; text: string; when: string; picture: ReactNode }[] = [
  {
    title: 'Le commercial invite son client',
    text: 'Un e-mail d’invitation part avec ses identifiants. Hugo ouvre son espace, choisit son mot de passe, et peut recommander aussitôt.',
    when: 'Lundi 2 mars à 09:12',
    picture: <InvitationPicture />,
  },
  {
    title: 'Le client recommande un ami',
    text: 'Trois champs et un mot personnel. La recommandation arrive chez son commercial dans la seconde, avec le nom de celui qui l’envoie.',
    when: 'Mardi 3 mars à 18:40',
    picture: <ReferralPicture />,
  },
  {
    title: 'La vente est validée deux fois',
    text: 'Le commercial déclare le contrat, l’entreprise décide. Elle voit les deux commissions au centime avant de valider : c’est la seconde signature qui les déclenche.',
    when: 'Mercredi 18 mars à 11:05',
    picture: <ValidationPicture />,
  },
  {
    title: 'La commission est demandée, puis versée',
    text: 'Hugo demande tout ou partie de ce qu’il a gagné : virement, chèque cadeau, don à une association ou remise. Chaque versement reste dans son historique.',
    when: 'Samedi 21 mars à 10:30',
    picture: <PaymentPicture />,
  },
];
