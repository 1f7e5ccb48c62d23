import { FileUp, UserPlus } from 'lucide-react';
import type { Action } from '../shell/actions.tsx';

/** Actions of a commercial that run from anywhere (../shell/actions.tsx). */
export const commercialActions = {
  addClient: {
    id: 'ajouter-client',
    label: 'Ajouter un client',
    icon: <UserPlus aria-hidden />,
    section: 'mes-clients',
    letter: 'n',
  },
  importClients: {
    id: 'importer-clients',
    label: 'Importer des clients',
    icon: <FileUp aria-hidden />,
    section: 'mes-clients',
  },
  importReferrals: {
    id: 'importer-parrainages',
    label: 'Importer des parrainages',
    icon: <FileUp aria-hidden />,
    section: 'parrainages-recus',
  },
} satisfies Record<string, Action>;
