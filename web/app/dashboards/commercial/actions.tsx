import { UserPlus } from 'lucide-react';
import type { Action } from '../shell/actions.tsx';

/** What a commercial can do from anywhere (../shell/actions.tsx). */
export const commercialActions = {
  addClient: {
    id: 'ajouter-client',
    label: 'Ajouter un client',
    icon: <UserPlus aria-hidden />,
    section: 'mes-clients',
    letter: 'n',
  },
} satisfies Record<string, Action>;
