/** The subjects that the audit trail covers: tables, and the files that leave the company (X-03, EX-01). */
export const auditEntities = [
  'sales',
  'commission_payments',
  'commission_rates',
  'payment_requests',
  'payment_batches',
  'paid_periods',
  'profiles',
  'company_settings',
  'disputes',
  'debt_acts',
  'api_keys',
  'doubtful_cases',
  'account_closure_requests',
  'exports',
  'mails',
] as const;
export type AuditEntity = (typeof auditEntities)[number];

/** The subjects to choose from: a commission is credited by its sale's entry, and has one of its own only where it was deleted. */
export const filteredAuditEntities = auditEntities.filter((entity) => entity !== 'commission_payments');

/** The subject of an entry, as a filter names it. */
export const auditEntityLabels: Readonly<Record<AuditEntity, string>> = {
  sales: 'Ventes et commissions',
  commission_payments: 'Commissions',
  commission_rates: 'Barèmes',
  payment_requests: 'Demandes de paiement',
  payment_batches: 'Virements groupés',
  paid_periods: 'Commissions des commerciaux',
  profiles: 'Comptes',
  company_settings: 'Entreprise',
  disputes: 'Ajustements de compte',
  debt_acts: 'Dettes',
  api_keys: 'Clés d’API',
  doubtful_cases: 'Cas douteux',
  account_closure_requests: 'Fermetures de compte',
  exports: 'Exports',
  mails: 'E-mails',
};

export function isAuditEntity(value: unknown): value is AuditEntity {
  return auditEntities.some((entity) => entity === value);
}
