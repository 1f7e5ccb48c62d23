/** The lists that people take away as files, by the name in the export's address; each with the file's title (EX-01). */
export const exportedLists = {
  sales: 'Ventes',
  'sales-to-validate': 'Validations',
  'payment-requests': 'Demandes de paiement',
  'payment-batches': 'Virements groupés',
  'batch-lines': 'Lignes d’un virement groupé',
  'payments-made': 'Historique des paiements',
  'commission-payments': 'Commissions créditées',
  'commission-periods': 'Commissions des commerciaux',
  commercials: 'Commerciaux',
  clients: 'Clients',
  'sleeping-referrers': 'Parrains endormis',
  'scale-months': 'Barèmes par mois et commercial',
  'audit-entries': 'Journal',
  'audit-entries-about': 'Journal d’une personne ou d’un contrat',
  'account-lines': 'Compte',
  'payee-accounts': 'Comptes par personne',
  'sent-mails': 'Messages envoyés',
  'accepted-rules': 'Règles acceptées',
  'received-referrals': 'Parrainages reçus',
  'commercial-contracts': 'Contrats',
  'client-summaries': 'Mes clients',
  'own-sleeping-referrers': 'Mes parrains endormis',
  'own-referrals': 'Mes parrainages',
  'own-contracts': 'Contrats validés',
  'own-commissions': 'Mes commissions',
  'own-payment-requests': 'Mes demandes de paiement',
  'own-account-lines': 'Mon relevé',
} as const;
export type ExportedListName = keyof typeof exportedLists;

export function isExportedListName(value: unknown): value is ExportedListName {
  return typeof value === 'string' && Object.hasOwn(exportedLists, value);
}

/** Exports other than lists, each with its words in the trail. */
export const exportedPapers = {
  statement: 'Relevé de compte',
  statements: 'Relevés de compte de tous les bénéficiaires',
  journal: 'Journal comptable',
  das2: 'Déclaration DAS2',
  papers: 'Pièces de paiement',
  'e-invoices': 'Factures électroniques à déposer',
  repayment: 'Reçu de remboursement',
  dossier: 'Dossier comptable',
  archive: 'Archive de toutes les données',
} as const;
export type ExportedPaperName = keyof typeof exportedPapers;

/** File formats of papers, beside those of lists. */
export const paperFormats = { csv: 'CSV', pdf: 'PDF', txt: 'FEC', zip: 'ZIP' } as const;
export type PaperFormat = keyof typeof paperFormats;

export function isExportedPaperName(value: unknown): value is ExportedPaperName {
  return typeof value === 'string' && Object.hasOwn(exportedPapers, value);
}

export function isPaperFormat(value: unknown): value is PaperFormat {
  return typeof value === 'string' && Object.hasOwn(paperFormats, value);
}

/** File formats of lists: text with separators, and an Excel workbook. */
export const exportFormats = { csv: 'CSV', xlsx: 'Excel' } as const;
export type ExportFormat = keyof typeof exportFormats;

export function isExportFormat(value: unknown): value is ExportFormat {
  return typeof value === 'string' && Object.hasOwn(exportFormats, value);
}

/** Totals of a list: the number of rows that its filters leave, and the sum of each column of money, by its label in the file. */
export interface ListTotals {
  readonly row_count: number;
  readonly sums: Readonly<Record<string, string>>;
}

/** Totals of a list of sales that are net of what annulments took of them (DF-15). */
export const netTotals = { contract: 'Montant net', commissions: 'Commissions nettes' } as const;

export function isNetTotal(label: string): boolean {
  return label === netTotals.contract || label === netTotals.commissions;
}
