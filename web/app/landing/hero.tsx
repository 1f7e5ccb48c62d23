import { ArrowRight } from 'lucide-react';
import { buttonClass } from '#ui/button';
import { french } from '@parrain/domain/typography';
import { DemoOffer } from './demo-offer.tsx';
import { Picture } from './pictures/picture.tsx';

/** The product in one sentence and one picture. */
export function Hero() {
  return (
    <section className="relative overflow-hidden border-b border-hairline">
      <div className="mx-auto max-w-[75rem] px-5 pt-9 sm:px-8 sm:pt-12">
        <div className="grid items-end gap-x-16 gap-y-8 lg:grid-cols-[minmax(0,1fr)_17rem]">
          <div>
            <h1 className="text-2xl font-semibold tracking-[-0.035em]">
              {french('Chaque recommandation, suivie jusqu’au')}{' '}
              <span className="whitespace-nowrap text-sapin">{french('virement.')}</span>
            </h1>
            <p className="mt-5 max-w-[58ch] text-lg text-encre-soft">
              {french(
                'Vos commerciaux invitent leurs clients, vos clients recommandent leurs amis. Parrain suit chaque vente, la fait valider deux fois et calcule les commissions au centime.',
              )}
            </p>
            <div className="mt-6 flex flex-wrap gap-3">
              <a href="#calendly" className={buttonClass({ variant: 'accent', size: 'lg' })}>
                Réserver un RDV
                <ArrowRight aria-hidden />
              </a>
              <a href="/auth/login" className={buttonClass({ size: 'lg' })}>
                Accéder à mon compte
              </a>
            </div>
            <DemoOffer />
          </div>
          <dl className="grid gap-x-5 border-t border-hairline max-lg:grid-cols-2">
            {proofs.map((proof) => (
              <div
                key={proof.what}
                className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-hairline py-2.5"
              >
                <dt className="text-encre-soft">{french(proof.what)}</dt>
                <dd className="tabular-digits font-heading text-lg font-semibold">{french(proof.figure)}</dd>
              </div>
            ))}
          </dl>
        </div>
        {(
          [
            ['overview', 'max-sm:hidden'],
            ['overview-phone', 'sm:hidden'],
          ] as const
        ).map(([name, where]) => (
          <Picture
            key={name}
            name={name}
            label="Le tableau de bord de l’entreprise : les contrats à valider, les demandes à traiter et à payer, avec leurs montants et la plus ancienne."
            className={`mt-8 max-h-56 rounded-t-card border border-b-0 sm:max-h-80 ${where}`}
          />
        ))}
      </div>
    </section>
  );
}

const proofs = [
  { what: 'Travail administratif', figure: '−80 %' },
  { what: 'Erreurs de calcul', figure: 'zéro' },
  { what: 'Validations par vente', figure: '2' },
  { what: 'Ventes retracées', figure: '100 %' },
] as const;
