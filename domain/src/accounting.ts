/** Uses of the journal's accounts (EX-02, AC-02), in the order of the settings. */
export const accountUses = [
  'charged',
  'vat',
  'vat_waiting',
  'client',
  'commercial',
  'paid_virement',
  'paid_association',
  'paid_cheque_cadeau',
  'paid_remise_societe',
  'vat_collected',
  'vat_eu',
  'vat_eu_due',
  'vat_abroad',
  'vat_abroad_due',
  'accrued',
  'salary',
  'salary_due',
] as const;
export type AccountUse = (typeof accountUses)[number];

export const accountUseLabels: Readonly<Record<AccountUse, string>> = {
  charged: 'Charge de commissions',
  vat: 'TVA déductible des factures des bénéficiaires',
  vat_waiting: 'TVA payée, dont la facture est attendue',
  client: 'Dû aux particuliers et aux associations',
  commercial: 'Dû aux professionnels (fournisseurs)',
  paid_virement: 'Payé par virement',
  paid_association: 'Payé à une association',
  paid_cheque_cadeau: 'Payé en chèque cadeau',
  paid_remise_societe: 'Payé en remise',
  vat_collected: 'TVA d’une remise',
  vat_eu: 'TVA autoliquidée, déductible (UE)',
  vat_eu_due: 'TVA autoliquidée, due (UE)',
  vat_abroad: 'TVA autoliquidée, déductible (hors UE)',
  vat_abroad_due: 'TVA autoliquidée, due (hors UE)',
  accrued: 'Factures non parvenues',
  salary: 'Charge des salariés',
  salary_due: 'Dû aux salariés',
};

/** Advice beside the setting of an account. */
export const accountUseHints: Partial<Readonly<Record<AccountUse, string>>> = {
  paid_virement: '471 ou 580 : un compte d’attente, que votre journal de banque solde. 512 : la banque elle-même.',
  vat_waiting:
    'D’un virement déjà ordonné quand son bénéficiaire a révoqué son mandat : demandez-lui sa facture, qui la rend déductible.',
  vat_eu: 'En franchise de TVA, elle n’est pas déductible : elle est dans la charge.',
  vat_abroad: 'En franchise de TVA, elle n’est pas déductible : elle est dans la charge.',
  paid_remise_societe: '411 : la remise entière vient du compte du client. 709 : hors taxe, la TVA à part.',
};

/** The accounts that fit a use, as the database has them too (`private.is_account_of`). */
interface AccountFamily {
  readonly pattern: RegExp;
  readonly words: string;
}

const charge: AccountFamily = { pattern: /^6/u, words: 'un compte de charge, de la classe 6' };
const owed: AccountFamily = { pattern: /^4/u, words: 'un compte de tiers, de la classe 4' };
const vat: AccountFamily = { pattern: /^445/u, words: 'un compte de TVA, qui commence par 445' };
const deductible: AccountFamily = {
  pattern: /^(?:445|6)/u,
  words: 'un compte de TVA, qui commence par 445, ou de charge (classe 6) si elle n’est pas déductible',
};
const money: AccountFamily = {
  pattern: /^[45]/u,
  words: 'un compte de trésorerie, de la classe 5, ou d’attente, de la classe 4',
};

/** The accounts that fit each use: a charge that stands in the bank’s account is no charge. */
export const accountFamilies: Readonly<Record<AccountUse, AccountFamily>> = {
  charged: charge,
  vat: deductible,
  vat_waiting: deductible,
  client: owed,
  commercial: owed,
  paid_virement: money,
  paid_association: money,
  paid_cheque_cadeau: {
    pattern: /^[3-6]/u,
    words: 'un compte de stock, de tiers, de trésorerie ou de charge (classes 3 à 6)',
  },
  paid_remise_societe: {
    pattern: /^[467]/u,
    words: 'un compte de client (411), de remise (709) ou de charge (classe 6)',
  },
  vat_collected: vat,
  vat_eu: deductible,
  vat_eu_due: vat,
  vat_abroad: deductible,
  vat_abroad_due: vat,
  accrued: owed,
  salary: charge,
  salary_due: owed,
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
  /** False where the bank's own journal has the payments: transfers and donations are left out. */
  readonly postsPayments: boolean;
  /** True where employees' commissions are posted too, and not in the payroll export alone (AC-03). */
  readonly postsPayroll: boolean;
  /** True where the end of a financial year has what is earned and not paid (AC-06). */
  readonly accrues: boolean;
  /** The last month of the financial year, 1 to 12. */
  readonly yearEndsIn: number;
}

/** A payee's code in the accountant's books. */
export const accountingCodePattern = /^[\dA-Z]{1,17}$/u;

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
