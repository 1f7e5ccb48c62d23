import { HandCoins, Link2, UserPlus } from 'lucide-react';
import type { Action } from '../shell/actions.tsx';

/** Actions of a client that run from anywhere (../shell/actions.tsx). */
export const clientActions = {
  inviteFriend: {
    id: 'inviter-ami',
    label: 'Inviter un ami',
    icon: <UserPlus aria-hidden />,
    section: 'mes-parrainages',
    letter: 'n',
  },
  sharePersonalLink: {
    id: 'mon-lien',
    label: 'Mon lien',
    icon: <Link2 aria-hidden />,
    section: 'mes-parrainages',
  },
  askPayment: {
    id: 'demander-paiement',
    label: 'Nouvelle demande de paiement',
    icon: <HandCoins aria-hidden />,
    section: 'demandes-de-paiement',
    letter: 'n',
  },
} satisfies Record<string, Action>;
