import { CircleUserRound, FileSignature, FolderOpen, HandCoins, Inbox, Network, Users } from 'lucide-react';
import { lazyScreen } from '../shell/lazy-screen.ts';
import type { Section } from '../shell/sections.ts';

/** The menu of the commercial's dashboard, in its order (CO-01). How to add one: ../shell/sections.ts. */
export const sections: readonly Section[] = [
  {
    id: 'parrainages-recus',
    label: 'Parrainages reçus',
    bar: { at: 1, word: 'Parrainages reçus' },
    letter: 'p',
    isWide: true,
    icon: <Inbox aria-hidden />,
    ...lazyScreen(() => import('./parrainages-recus/parrainages-recus.tsx')),
  },
  {
    id: 'mes-clients',
    label: 'Mes Clients',
    bar: { at: 2, word: 'Mes Clients' },
    letter: 'c',
    isWide: true,
    icon: <Users aria-hidden />,
    ...lazyScreen(() => import('./mes-clients/mes-clients.tsx')),
  },
  {
    id: 'contrats-d-affiliation',
    label: "Contrats d'affiliation",
    bar: { at: 3, word: "Contrats d'affiliation" },
    letter: 'a',
    isWide: true,
    icon: <FileSignature aria-hidden />,
    ...lazyScreen(() => import('./contrats-d-affiliation/contrats-d-affiliation.tsx')),
  },
  {
    id: 'profil',
    label: 'Profil',
    bar: { at: 4, word: 'Profil' },
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
    id: 'mon-compte',
    label: 'Mon compte',
    isWide: true,
    icon: <HandCoins aria-hidden />,
    group: 'Explorer',
    ...lazyScreen(() => import('./mon-compte/mon-compte.tsx')),
  },
  {
    id: 'documents',
    label: 'Documents',
    icon: <FolderOpen aria-hidden />,
    group: 'Explorer',
    ...lazyScreen(() => import('../parts/documents.tsx')),
  },
];
