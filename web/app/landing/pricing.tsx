import { ArrowRight } from 'lucide-react';
import { buttonClass } from '#ui/button';
import { french } from '@parrain/domain/typography';
import { Calculator } from './calculator.tsx';
import { sectionClass } from './section-title.tsx';

/** Custom pricing (L-07), what it depends on and the free appointment that leads to a quote; beside it what the programme itself costs. */
export function Pricing() {
  return (
    <section id="tarifs" aria-labelledby="tarifs-titre" className="on-deep bg-deep text-deep-ink">
      <div className={`${sectionClass} grid items-center gap-x-16 gap-y-10 lg:grid-cols-2`}>
        <div>
          <h2
            id="tarifs-titre"
            className="text-[clamp(1.625rem,1.2rem+1.9vw,2.5rem)] leading-[1.1] tracking-[-0.028em]"
          >
            Un tarif à la mesure de votre réseau
          </h2>
          <p className="mt-3 max-w-[52ch] text-lg text-deep-soft">
            {french(
              'Votre tarif est établi avec vous : un rendez-vous gratuit de 30 minutes, au téléphone ou en démonstration, et vous recevez votre devis.',
            )}
          </p>
          <h3 className="mt-6 font-sans text-sm font-medium tracking-normal text-deep-soft">Ce dont il dépend</h3>
          <ul className="mt-1">
            {criteria.map((criterion) => (
              <li key={criterion.title} className="border-b border-deep-line py-2.5 last:border-0">
                <p className="font-medium">{french(criterion.title)}</p>
                <p className="text-sm text-deep-soft">{french(criterion.text)}</p>
              </li>
            ))}
          </ul>
          <a href="#calendly" className={`${buttonClass({ variant: 'accent', size: 'lg' })} mt-4`}>
            Réserver un RDV
            <ArrowRight aria-hidden />
          </a>
        </div>
        <Calculator />
      </div>
    </section>
  );
}

const criteria = [
  {
    title: 'Le nombre de commerciaux et de clients',
    text: 'Une équipe de trois ou un réseau de trois cents : vous payez ce que vous animez.',
  },
  { title: 'Les fonctionnalités', text: 'Celles dont vous avez besoin aujourd’hui, les autres quand elles serviront.' },
  { title: 'Le volume d’activité', text: 'Les ventes suivies et les commissions calculées chaque mois.' },
] as const;
