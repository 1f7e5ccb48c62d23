import { useEffect } from 'react';
import { Benefits } from './benefits.tsx';
import { Booking } from './booking.tsx';
import { enliven } from './enliven.ts';
import { Features } from './features.tsx';
import { Hero } from './hero.tsx';
import { Journey } from './journey.tsx';
import { Pricing } from './pricing.tsx';
import { Questions } from './questions.tsx';
import { SiteFooter } from './site-footer.tsx';
import { SiteHeader } from './site-header.tsx';

export const meta = () => [
  { title: 'Parrain – Le parrainage commercial, suivi jusqu’au virement' },
  {
    name: 'description',
    content:
      'Vos commerciaux invitent leurs clients, vos clients recommandent leurs amis : Parrain suit chaque vente, fait valider deux fois et calcule les commissions au centime.',
  },
];

/** Written at build time and never hydrated: the page is a document, document.ts enlivens its booking block. */
export const handle = { document: true };

/** The public page (L-01 to L-07). */
export default function Landing() {
  // Only where React runs on this page: in development, and after a navigation inside the application.
  useEffect(enliven, []);
  return (
    <>
      <SiteHeader />
      <main id="contenu" tabIndex={-1}>
        <Hero />
        <Journey />
        <Benefits />
        <Features />
        <Pricing />
        <Questions />
        <Booking />
      </main>
      <SiteFooter />
    </>
  );
}
