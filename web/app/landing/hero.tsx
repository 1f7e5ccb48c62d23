import { ArrowRight } from 'lucide-react';
import { buttonClass } from '#ui/button';
import { french } from '../typography.ts';
import { AdminPicture } from './pictures/admin-picture.tsx';

/** What Parrain is, in one sentence and one picture of the product. */
export function Hero() {
  return (
    <section className="relative overflow-hidden border-b border-hairline">
      <div className="mx-auto max-w-[75rem] px-5 pt-14 sm:px-8 sm:pt-20">
        <div className="max-w-[52rem]">
          <h1 className="text-2xl font-semibold tracking-[-0.035em]">
            {french('Chaque recommandation, suivie jusqu’au')} <span className="whitespace-nowrap text-sapin">{french('virement.')}</span>
          </h1>
          <p className="mt-6 max-w-[58ch] text-lg text-encre-soft">
            {french(
              'Vos commerciaux invitent leurs clients, vos clients recommandent leurs amis. Parrain suit chaque vente, la fait valider deux fois et calcule les commissions au centime.',
            )}
          </p>
          <div className="mt-8 flex flex-wrap gap-3">
            <a href="#calendly" className={buttonClass({ variant: 'accent', size: 'lg' })}>
              Réserver un RDV
              <ArrowRight aria-hidden />
            </a>
            <a href="/auth/login" className={buttonClass({ size: 'lg' })}>
              Accéder à mon compte
            </a>
          </div>
        </div>
        <AdminPicture />
      </div>
    </section>
  );
}
