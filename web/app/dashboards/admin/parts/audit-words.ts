import { formatDateTime } from '@parrain/domain/date';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { paymentMethodLabel, paymentRequestLabels, paymentRequestStatuses } from '@parrain/domain/payment-request';
import { formatPercent, percentFromWire } from '@parrain/domain/percent';
import { isRole, roleLabels } from '@parrain/domain/role';
import { saleChoiceLabels, saleStatuses } from '@parrain/domain/sale';
import { shortId } from '@parrain/domain/short-id';
import type { AuditEntity, AuditEntry } from '#api/company/audit-entries';

/** An entry of the trail in words: a sentence, its colour, and each change. */
export interface AuditWords {
  sentence: string;
  tone: 'plain' | 'done' | 'refused';
  changes: readonly AuditChange[];
}

export interface AuditChange {
  label: string;
  /** The machine's bookkeeping beside a decision: left out of a timeline, whose sentence already says it. */
  isDetail: boolean;
  /** Null where there was nothing. */
  before: string | null;
  after: string | null;
}

/** The entry's subject, in one word. */
export const auditEntityLabels: Readonly<Record<AuditEntity, string>> = {
  sales: 'Ventes',
  commission_payments: 'Commissions',
  commission_rates: 'Barèmes',
  payment_requests: 'Demandes de paiement',
  profiles: 'Comptes',
  company_settings: 'Entreprise',
  account_closure_requests: 'Fermetures de compte',
};

/** One of them, before its short id. */
export const auditEntityNames: Readonly<Record<AuditEntity, string>> = {
  sales: 'Vente',
  commission_payments: 'Commission',
  commission_rates: 'Barème',
  payment_requests: 'Demande',
  profiles: 'Compte',
  company_settings: 'Entreprise',
  account_closure_requests: 'Fermeture',
};

/** An entry of the trail in French. What this table does not know is said with the entry's own words, never hidden. */
export function auditWords(entry: AuditEntry): AuditWords {
  const { sentence, tone = 'plain' } = said(entry);
  return { sentence, tone, changes: changesOf(entry) };
}

/** The actor: a person, a role whose account is gone, or the server with its reason. */
export function auditActor(entry: Pick<AuditEntry, 'actorName' | 'actor' | 'actorId'>): string {
  if (entry.actorName !== null) return entry.actorName;
  if (entry.actorId !== null)
    return `${isRole(entry.actor) ? roleLabels[entry.actor] : 'Compte'} supprimé (${shortId(entry.actorId)})`;
  return 'Parrain (automatique)';
}

interface Said {
  sentence: string;
  tone?: AuditWords['tone'];
}

type Facts = Readonly<Record<string, unknown>>;

function said(entry: AuditEntry): Said {
  const before = entry.before ?? {};
  const after = entry.after ?? {};
  const known = sentences[entry.entity]?.(entry.action, before, after);
  return known ?? { sentence: `${entry.entity} : ${entry.action}` };
}

const sentences: Readonly<Record<string, (action: string, before: Facts, after: Facts) => Said | undefined>> = {
  sales: (action, _before, after) => {
    if (action === 'insert') {
      return 'corrects_sale_id' in after
        ? { sentence: 'Validation annulée par une écriture inverse', tone: 'refused' }
        : { sentence: 'Parrainage reçu' };
    }
    if (action === 'delete') return { sentence: 'Parrainage supprimé', tone: 'refused' };
    if (action !== 'update') return undefined;
    if (after['admin_validated'] === true) return { sentence: "Contrat validé par l'administrateur", tone: 'done' };
    if (after['status'] === 'rejected') return { sentence: 'Parrainage refusé', tone: 'refused' };
    if (after['ready_for_validation'] === true) return { sentence: 'Contrat transmis pour validation' };
    if ('status' in after || 'ready_for_validation' in after) {
      return { sentence: `Statut changé : ${valueText('status', after['status'] ?? 'pending') ?? ''}` };
    }
    if ('commercial_id' in after) return { sentence: 'Parrainage confié à un autre commercial' };
    return { sentence: 'Parrainage modifié' };
  },
  commission_payments: (action, _before, after) => {
    if (action === 'delete') return { sentence: 'Commission supprimée', tone: 'refused' };
    if (action !== 'insert') return undefined;
    const side = after['type'] === 'client' ? 'client' : 'commercial';
    const amount = valueText('amount', after['amount']) ?? '';
    return amount.startsWith('−') || amount.startsWith('-')
      ? { sentence: `Commission ${side} reprise : ${amount}`, tone: 'refused' }
      : { sentence: `Commission ${side} créditée : ${amount}`, tone: 'done' };
  },
  commission_rates: (action, _before, after) => {
    if (action === 'insert') return { sentence: `Barème « ${valueText('name', after['name']) ?? ''} » créé` };
    if (action === 'delete') return { sentence: 'Barème supprimé', tone: 'refused' };
    if (action !== 'update') return undefined;
    if (typeof after['archived_at'] === 'string') return { sentence: 'Barème archivé' };
    if (after['is_default'] === true) return { sentence: 'Barème défini par défaut' };
    if (after['is_default'] === false) return { sentence: "Barème qui n'est plus par défaut" };
    return { sentence: 'Barème modifié' };
  },
  payment_requests: (action, before, after) => {
    if (action === 'insert') return { sentence: `Paiement de ${valueText('amount', after['amount']) ?? ''} demandé` };
    if (action === 'read') return { sentence: 'Coordonnées de paiement consultées' };
    if (action === 'delete') return { sentence: 'Demande de paiement supprimée', tone: 'refused' };
    if (before['status'] === 'approved' && after['status'] === 'pending') {
      return { sentence: 'Approbation annulée', tone: 'refused' };
    }
    if (after['status'] === 'approved') return { sentence: 'Demande approuvée', tone: 'done' };
    if (after['status'] === 'paid') return { sentence: 'Demande payée', tone: 'done' };
    if (after['status'] === 'rejected') return { sentence: 'Demande refusée', tone: 'refused' };
    return action === 'update' ? { sentence: 'Demande modifiée' } : undefined;
  },
  profiles: (action, before, after) => {
    const role = after['role'] ?? before['role'];
    const who = isRole(role) ? roleLabels[role].toLowerCase() : 'utilisateur';
    if (action === 'insert') return { sentence: `Compte ${who} créé` };
    if (action === 'delete') return { sentence: `Compte ${who} supprimé`, tone: 'refused' };
    if (action === 'reset_second_factor') return { sentence: 'Double authentification retirée', tone: 'refused' };
    if (action !== 'update') return undefined;
    if (typeof after['deactivated_at'] === 'string') return { sentence: 'Compte désactivé', tone: 'refused' };
    if ('deactivated_at' in after) return { sentence: 'Compte réactivé', tone: 'done' };
    if ('commercial_id' in after) return { sentence: 'Client confié à un autre commercial' };
    return { sentence: 'Profil modifié' };
  },
  account_closure_requests: (action, _before, after) => {
    if (action === 'insert') return { sentence: 'Fermeture de compte demandée' };
    if (action === 'delete') return { sentence: 'Demande de fermeture supprimée avec le compte' };
    if (after['status'] === 'accepted') return { sentence: 'Fermeture de compte acceptée', tone: 'done' };
    if (after['status'] === 'rejected') return { sentence: 'Fermeture de compte refusée', tone: 'refused' };
    return after['status'] === 'withdrawn' ? { sentence: 'Demande de fermeture annulée' } : undefined;
  },
  company_settings: (action, _before, after) => {
    if (action === 'clean') return { sentence: 'Données de test supprimées', tone: 'refused' };
    if (action !== 'update') return undefined;
    if ('company_name' in after) return { sentence: "Nom de l'entreprise changé" };
    if ('logo_url' in after) return { sentence: "Logo de l'entreprise changé" };
    if (after['require_admin_two_factor'] === true) {
      return { sentence: 'Double authentification demandée aux administrateurs' };
    }
    if (after['require_admin_two_factor'] === false) {
      return { sentence: 'Double authentification laissée au choix des administrateurs' };
    }
    return { sentence: "Paramètres de l'entreprise modifiés" };
  },
};

function changesOf({ before, after, action }: AuditEntry): readonly AuditChange[] {
  const keys = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  const changes: AuditChange[] = [];
  for (const key of keys) {
    const label = labels[key];
    if (label === undefined) continue;
    const row = { before: valueText(key, before?.[key], before), after: valueText(key, after?.[key], after) };
    // Of what just came into being, what is absent or false says nothing.
    if (action === 'insert' && (row.after === null || after?.[key] === false)) continue;
    if (row.before !== row.after) changes.push({ label, isDetail: isDetail(key), ...row });
  }
  return changes;
}

function isDetail(key: string): boolean {
  return details.has(key) || key.endsWith('_at') || key.endsWith('_type') || key.endsWith('_commission_rate');
}

const details: ReadonlySet<string> = new Set([
  'status',
  'ready_for_validation',
  'admin_validated',
  'validated_by',
  'commission_rate',
  'rejection_reason',
  'correction_reason',
  'approval_annulled_reason',
]);

/** The columns worth telling; the others (id, version, test flag) are the machine's. */
const labels: Readonly<Record<string, string>> = {
  status: 'Statut',
  ready_for_validation: 'Prêt à valider',
  admin_validated: 'Validé par admin',
  referred_contact_name: 'Contact',
  referred_contact_email: 'Email du contact',
  referred_contact_phone: 'Téléphone du contact',
  personal_message: 'Message personnel',
  contract_amount: 'Montant du contrat',
  contract_description: 'Description',
  commercial_notes: 'Notes du commercial',
  commercial_id: 'Commercial',
  client_referrer_id: 'Client parrain',
  friend_referrer_id: 'Parrain',
  commission_rate: 'Barème',
  client_commission_type: 'Type côté client',
  client_commission_rate: 'Taux côté client',
  client_commission_amount: 'Commission client',
  commercial_commission_type: 'Type côté commercial',
  commercial_commission_rate: 'Taux côté commercial',
  commercial_commission_amount: 'Commission commercial',
  rejection_reason: 'Raison du refus',
  correction_reason: "Raison de l'annulation",
  approval_annulled_reason: "Raison de l'annulation",
  corrects_sale_id: 'Vente corrigée',
  validated_at: 'Validé le',
  validated_by: 'Validé par',
  sale_id: 'Vente',
  recipient_id: 'Bénéficiaire',
  type: 'Part',
  amount: 'Montant',
  payment_method: 'Mode de paiement',
  payment_details: 'Coordonnées de paiement',
  client_id: 'Client',
  admin_notes: 'Notes',
  approved_at: 'Approuvé le',
  paid_at: 'Payé le',
  name: 'Nom',
  description: 'Description',
  is_default: 'Par défaut',
  archived_at: 'Archivé le',
  replaces_id: 'Remplace',
  full_name: 'Nom',
  email: 'Email',
  phone: 'Téléphone',
  company: 'Entreprise',
  notes: 'Notes',
  role: 'Rôle',
  deactivated_at: 'Désactivé le',
  company_name: "Nom de l'entreprise",
  logo_url: 'Logo',
  sales: 'Ventes supprimées',
  commission_payments: 'Commissions supprimées',
  payment_requests: 'Demandes supprimées',
  commission_rates: 'Barèmes supprimés',
  clients: 'Clients supprimés',
  commercials: 'Commerciaux supprimés',
};

function valueText(key: string, value: unknown, row: Facts | null = null): string | null {
  if (value === null || value === undefined) return null;
  if (value === '•••') return 'modifié (masqué)';
  if (typeof value === 'boolean') return value ? 'oui' : 'non';
  if (key === 'status') return statusText(value);
  if (key === 'role' && isRole(value)) return roleLabels[value];
  if (key === 'payment_method' && typeof value === 'string') return paymentMethodLabel(value);
  if (key.endsWith('_type')) return value === 'percentage' ? 'Pourcentage' : 'Montant fixe';
  if (key === 'type') return value === 'client' ? 'Client' : 'Commercial';
  if (key === 'logo_url') return 'image';
  if ((typeof value === 'number' || typeof value === 'string') && isAmount(key)) {
    return isPercentage(key, row) ? percentText(value) : amountText(value);
  }
  if (typeof value === 'string') {
    if (key.endsWith('_at')) return formatDateTime(value);
    return uuidPattern.test(value) ? shortId(value) : value;
  }
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}

const uuidPattern = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

function isAmount(key: string): boolean {
  return key === 'amount' || key.endsWith('_amount') || key.endsWith('_commission_rate');
}

/** A rate, or the single number of a scale's side, is a percentage where its type beside it says so. */
function isPercentage(key: string, row: Facts | null): boolean {
  if (row === null) return false;
  if (key.endsWith('_commission_rate')) return row[key.replace('_rate', '_type')] === 'percentage';
  // In a scale the amount is the side's number; in a sale it is the commission itself, and its rate stands apart.
  if (
    key.endsWith('_commission_amount') &&
    !('status' in row) &&
    !('contract_amount' in row) &&
    !(key.replace('_amount', '_rate') in row)
  ) {
    return row[key.replace('_amount', '_type')] === 'percentage';
  }
  return false;
}

function amountText(value: number | string): string {
  try {
    return formatEuros(fromWire(value));
  } catch {
    return String(value);
  }
}

function percentText(value: number | string): string {
  try {
    return formatPercent(percentFromWire(value));
  } catch {
    return String(value);
  }
}

function statusText(value: unknown): string {
  const sale = saleStatuses.find((status) => status === value);
  if (sale !== undefined && sale !== 'pending' && sale !== 'rejected') return saleChoiceLabels[sale];
  const request = paymentRequestStatuses.find((status) => status === value);
  return request === undefined ? String(value) : paymentRequestLabels[request];
}
