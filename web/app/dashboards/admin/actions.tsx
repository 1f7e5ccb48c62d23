import {
  Archive,
  BadgeCheck,
  Ban,
  FilePenLine,
  FileUp,
  GitBranchPlus,
  MessageSquareReply,
  Plus,
  ShieldOff,
  Star,
  Undo2,
  UserPlus,
} from 'lucide-react';
import type { Action } from '../shell/actions.tsx';

/** Actions of the admin that run from anywhere (../shell/actions.tsx). */
export const adminActions = {
  addClient: {
    id: 'ajouter-client',
    label: 'Ajouter un client',
    icon: <UserPlus aria-hidden />,
    section: 'clients',
    letter: 'n',
  },
  importClients: {
    id: 'importer-clients',
    label: 'Importer des clients',
    icon: <FileUp aria-hidden />,
    section: 'clients',
  },
  importReferrals: {
    id: 'importer-parrainages',
    label: 'Importer des parrainages',
    icon: <FileUp aria-hidden />,
    section: 'ventes',
  },
  addCommercial: {
    id: 'ajouter-commercial',
    label: 'Ajouter un commercial',
    icon: <UserPlus aria-hidden />,
    section: 'commerciaux',
    letter: 'n',
  },
  createScale: {
    id: 'creer-bareme',
    label: 'Nouveau barème',
    icon: <Plus aria-hidden />,
    section: 'commissions',
    letter: 'n',
  },
} satisfies Record<string, Action>;

/** Actions in the menu and the panel of a scale (S-12). */
export const scaleActions = {
  makeDefault: { id: 'bareme-par-defaut', label: 'Définir par défaut', icon: <Star aria-hidden /> },
  newVersion: { id: 'nouvelle-version', label: 'Nouvelle version', icon: <GitBranchPlus aria-hidden /> },
  archive: { id: 'archiver', label: 'Archiver', icon: <Archive aria-hidden /> },
} satisfies Record<string, Action>;

/** Actions in the menu of a person's row and in their panel. */
export const personActions = {
  resetSecondFactor: {
    id: 'retirer-double-authentification',
    label: 'Retirer sa double authentification',
    icon: <ShieldOff aria-hidden />,
  },
} satisfies Record<string, Action>;

/** Actions in the panel of a sale, while it is open. */
export const saleActions = {
  validate: { id: 'valider', label: 'Valider', icon: <BadgeCheck aria-hidden />, letter: 'v' },
  refuse: { id: 'refuser', label: 'Refuser', icon: <Ban aria-hidden />, letter: 'r' },
  askCorrection: {
    id: 'demander-correction',
    label: 'Demander une correction',
    icon: <MessageSquareReply aria-hidden />,
  },
  correct: { id: 'corriger-contrat', label: 'Corriger le contrat', icon: <FilePenLine aria-hidden /> },
  cancelValidation: { id: 'annuler-validation', label: 'Annuler la validation', icon: <Undo2 aria-hidden /> },
} satisfies Record<string, Action>;
