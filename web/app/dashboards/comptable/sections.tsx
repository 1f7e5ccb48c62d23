import { BookOpenText, CircleUserRound } from 'lucide-react';
import { lazyScreen } from '../shell/lazy-screen.ts';
import type { Section } from '../shell/sections.ts';

/** The menu of the accountant's dashboard (UI-12). How to add one: ../shell/sections.ts. */
export const sections: readonly Section[] = [
  {
    id: 'comptabilite',
    label: 'Comptabilité',
    letter: 'c',
    isWide: true,
    icon: <BookOpenText aria-hidden />,
    ...lazyScreen(() => import('./comptabilite/comptabilite.tsx')),
  },
  {
    id: 'profil',
    label: 'Profil',
    letter: 'm',
    icon: <CircleUserRound aria-hidden />,
    ...lazyScreen(() => import('./profil/profil.tsx')),
  },
];
