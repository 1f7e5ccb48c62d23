import type { PaperKind } from './paper.ts';
import type { PayeeStatus } from './payee.ts';

/** Examples of each paper (AC-07), for whoever decides on papers or wants to see the company's logo on one. */
export interface Specimen {
  readonly kind: PaperKind;
  readonly status: PayeeStatus;
  readonly label: string;
}

export const specimens = {
  'recu-particulier': { kind: 'receipt', status: 'particulier', label: 'Reçu d’un particulier' },
  'autofacture-micro': { kind: 'invoice', status: 'micro', label: 'Autofacture d’un micro-entrepreneur' },
  'autofacture-societe': { kind: 'invoice', status: 'societe', label: 'Autofacture d’une société, avec TVA' },
  'autofacture-agent': { kind: 'invoice', status: 'agent', label: 'Autofacture d’un agent commercial' },
  'recu-association': { kind: 'receipt', status: 'association', label: 'Reçu d’une association' },
  'annulation-recu': { kind: 'annulment', status: 'particulier', label: 'Annulation de reçu' },
  avoir: { kind: 'credit', status: 'societe', label: 'Avoir, quand un virement revient' },
  'releve-trimestriel': { kind: 'quarter', status: 'agent', label: 'Relevé trimestriel d’un agent commercial' },
} as const satisfies Readonly<Record<string, Specimen>>;

export type SpecimenName = keyof typeof specimens;

export function isSpecimenName(name: string): name is SpecimenName {
  return Object.hasOwn(specimens, name);
}

export const specimenNames = Object.keys(specimens).filter(isSpecimenName);
