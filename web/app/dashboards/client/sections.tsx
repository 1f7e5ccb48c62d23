import { CircleUserRound, FileCheck, FolderOpen, HandCoins, Landmark, Network, UserPlus } from 'lucide-react';
import { lazyScreen } from '../shell/lazy-screen.ts';
import type { Section } from '../shell/sections.ts';

/** The menu of the client's dashboard, in its order (CL-01). How to add one: ../shell/sections.ts. */
export const sections: readonly Section[] = [
  {
    id: 'mes-parrainages',
    label: 'Mes Parrainages',
    bar: { at: 1, word: 'Parrainages' },
    letter: 'p',
    isWide: true,
    icon: <UserPlus aria-hidden />,
    ...lazyScreen(() => import('./mes-parrainages/mes-parrainages.tsx')),
  },
  {
    id: 'contrats-valides',
    label: 'Contrats Validés',
    bar: { at: 2, word: 'Contrats' },
    letter: 'a',
    isWide: true,
    icon: <FileCheck aria-hidden />,
    ...lazyScreen(() => import('./contrats-valides/contrats-valides.tsx')),
  },
  {
    id: 'mes-commissions',
    label: 'Mes Commissions',
    bar: { at: 3, word: 'Commissions' },
    letter: 'c',
    isWide: true,
    icon: <HandCoins aria-hidden />,
    ...lazyScreen(() => import('./mes-commissions/mes-commissions.tsx')),
  },
  {
    id: 'demandes-de-paiement',
    label: 'Demandes de Paiement',
    bar: { at: 4, word: 'Paiements' },
    letter: 'd',
    isWide: true,
    icon: <Landmark aria-hidden />,
    ...lazyScreen(() => import('./demandes-de-paiement/demandes-de-paiement.tsx')),
  },
  {
    id: 'profil',
    label: 'Profil',
    letter: 'm',
    icon: <CircleUserRound aria-hidden />,
    ...lazyScreen(() => import('./profil/profil.tsx')),
  },
  {
    id: 'reseau',
    label: 'Réseau',
    letter: 'r',
    icon: <Network aria-hidden />,
    group: 'Explorer',
    ...lazyScreen(() => import('./reseau/reseau.tsx')),
  },
  {
    id: 'documents',
    label: 'Documents',
    icon: <FolderOpen aria-hidden />,
    group: 'Explorer',
    ...lazyScreen(() => import('../parts/documents.tsx')),
  },
];
