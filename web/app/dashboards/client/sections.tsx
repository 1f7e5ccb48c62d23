import { CircleUserRound, FileCheck, HandCoins, Landmark, UserPlus } from 'lucide-react';
import { lazy } from 'react';
import type { Section } from '../shell/sections.ts';

/** The menu of the client's dashboard, in its order (CL-01). How to add one: ../shell/sections.ts. */
export const sections: readonly Section[] = [
  {
    id: 'mes-parrainages',
    label: 'Mes Parrainages',
    icon: <UserPlus aria-hidden />,
    Screen: lazy(() => import('./mes-parrainages/mes-parrainages.tsx')),
  },
  {
    id: 'contrats-valides',
    label: 'Contrats Validés',
    icon: <FileCheck aria-hidden />,
    Screen: lazy(() => import('./contrats-valides/contrats-valides.tsx')),
  },
  {
    id: 'mes-commissions',
    label: 'Mes Commissions',
    icon: <HandCoins aria-hidden />,
    Screen: lazy(() => import('./mes-commissions/mes-commissions.tsx')),
  },
  {
    id: 'demandes-de-paiement',
    label: 'Demandes de Paiement',
    icon: <Landmark aria-hidden />,
    Screen: lazy(() => import('./demandes-de-paiement/demandes-de-paiement.tsx')),
  },
  {
    id: 'profil',
    label: 'Profil',
    icon: <CircleUserRound aria-hidden />,
    Screen: lazy(() => import('./profil/profil.tsx')),
  },
];
