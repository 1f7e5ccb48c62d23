/** Uses of the journal's accounts (EX-02), in the order of the settings. */
export const accountUses = [
  'charged',
  'client',
  'commercial',
  'held',
  'adjusted',
  'paid_virement',
  'paid_cheque_cadeau',
  'paid_association',
  'paid_remise_societe',
  'paid_paie',
  'vat',
  'other',
] as const;
export type AccountUse = (typeof accountUses)[number];

export const accountUseLabels: Readonly<Record<AccountUse, string>> = {
  charged: 'Charge de commissions',
  client: 'Dû aux clients',
  commercial: 'Dû aux commerciaux',
  held: 'Commissions à venir (délai du barème)',
  adjusted: 'Ajustements (contestations)',
  paid_virement: 'Payé par virement',
  paid_cheque_cadeau: 'Payé en chèque cadeau',
  paid_association: 'Payé à une association',
  paid_remise_societe: 'Payé en remise',
  paid_paie: 'Payé avec la paie (commerciaux)',
  vat: 'TVA des autofactures',
  other: 'Autres mouvements',
};

/** An account of the French chart. */
export interface ChartAccount {
  readonly number: string;
  readonly label: string;
}

export type Chart = Readonly<Record<AccountUse, ChartAccount>>;

/** The journal's name and its accounts. */
export interface AccountingSettings {
  readonly journalCode: string;
  readonly journalLabel: string;
  readonly accounts: Chart;
}

/** The columns of the journal, in the order of the decree (LPF A47 A-1) and by its names. */
export const fecColumns = [
  'JournalCode',
  'JournalLib',
  'EcritureNum',
  'EcritureDate',
  'CompteNum',
  'CompteLib',
  'CompAuxNum',
  'CompAuxLib',
  'PieceRef',
  'PieceDate',
  'EcritureLib',
  'Debit',
  'Credit',
  'EcritureLet',
  'DateLet',
  'ValidDate',
  'Montantdevise',
  'Idevise',
] as const;
export type FecColumn = (typeof fecColumns)[number];
