import {
  Activity,
  BadgeCheck,
  BriefcaseBusiness,
  CircleUserRound,
  History,
  Landmark,
  LayoutDashboard,
  Percent,
  ReceiptText,
  Users,
} from 'lucide-react';
import { lazy } from 'react';
import type { Section } from '../shell/sections.ts';

/** The menu of the admin's dashboard, in its order (AD-01). How to add one: ../shell/sections.ts. */
export const sections: readonly Section[] = [
  {
    id: 'vue-d-ensemble',
    label: "Vue d'ensemble",
    icon: <LayoutDashboard aria-hidden />,
    Screen: lazy(() => import('./vue-d-ensemble/vue-d-ensemble.tsx')),
  },
  {
    id: 'commerciaux',
    label: 'Commerciaux',
    icon: <BriefcaseBusiness aria-hidden />,
    Screen: lazy(() => import('./commerciaux/commerciaux.tsx')),
  },
  {
    id: 'clients',
    label: 'Clients',
    icon: <Users aria-hidden />,
    Screen: lazy(() => import('./clients/clients.tsx')),
  },
  {
    id: 'ventes',
    label: 'Ventes',
    icon: <ReceiptText aria-hidden />,
    Screen: lazy(() => import('./ventes/ventes.tsx')),
  },
  {
    id: 'commissions',
    label: 'Commissions',
    icon: <Percent aria-hidden />,
    Screen: lazy(() => import('./commissions/commissions.tsx')),
  },
  {
    id: 'validations',
    label: 'Validations',
    icon: <BadgeCheck aria-hidden />,
    Screen: lazy(() => import('./validations/validations.tsx')),
  },
  {
    id: 'demandes-de-paiement',
    label: 'Demandes de Paiement',
    icon: <Landmark aria-hidden />,
    Screen: lazy(() => import('./demandes-de-paiement/demandes-de-paiement.tsx')),
  },
  {
    id: 'journal',
    label: 'Journal',
    icon: <History aria-hidden />,
    group: 'Traçabilité',
    Screen: lazy(() => import('./journal/journal.tsx')),
  },
  {
    id: 'etat-du-systeme',
    label: 'État du système',
    icon: <Activity aria-hidden />,
    group: 'Traçabilité',
    Screen: lazy(() => import('./etat-du-systeme/etat-du-systeme.tsx')),
  },
  {
    id: 'profil',
    label: 'Profil',
    icon: <CircleUserRound aria-hidden />,
    group: 'Votre compte',
    Screen: lazy(() => import('./profil/profil.tsx')),
  },
];
