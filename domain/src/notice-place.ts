import type { NoticeFacts } from './notice.ts';
import { dashboardPathFor, type Role } from './role.ts';

/** A section of a dashboard, with the record that is open there. */
export interface Place {
  readonly section: string;
  readonly detail: Readonly<Record<string, string>>;
}

/** Place that a notice links to: its record, in the section where its reader works on it (NV-01). */
export function noticePlace({
  kind,
  role,
  saleId,
  requestId,
  disputeId = null,
  debtorId = null,
  clientId = null,
  month = null,
}: Pick<
  NoticeFacts,
  'kind' | 'role' | 'saleId' | 'requestId' | 'disputeId' | 'debtorId' | 'clientId' | 'month'
>): Place {
  if (disputeId !== null) {
    return place(disputeSections[role], 'contestation', disputeId);
  }
  if (debtorId !== null) {
    return role === 'admin' ? place('controle-des-comptes', 'personne', debtorId) : place(disputeSections[role]);
  }
  if (clientId !== null) {
    if (role === 'client') return place('mes-parrainages');
    return place(role === 'admin' ? 'clients' : 'mes-clients', 'client', clientId);
  }
  if (kind === 'iban_checked') return place(role === 'commercial' ? 'profil' : 'demandes-de-paiement');
  if (kind === 'month_rejected' || kind === 'month_returned') return place('mon-compte');
  // The invoice of a month (AC-04).
  if (requestId === null && kind.startsWith('invoice_'))
    return role === 'admin'
      ? place('commissions-des-commerciaux', 'mois', month?.slice(0, 7) ?? null)
      : place('mon-compte');
  if (kind === 'archive_ready' || kind === 'archive_failed') return settingsPlace;
  if (requestId !== null) return place('demandes-de-paiement', 'demande', requestId);
  if (kind === 'contacts_to_erase') return place('ventes');
  if (kind === 'appointment_asked') return place('vue-d-ensemble');
  if (role === 'admin') return place(kind === 'contract_to_validate' ? 'validations' : 'ventes', 'vente', saleId);
  if (role === 'commercial') {
    // The entry that takes a contract back is no referral: it stands among the contracts.
    return kind === 'contract_annulled'
      ? place('contrats-d-affiliation')
      : place('parrainages-recus', 'parrainage', saleId);
  }
  return kind === 'contract_annulled' ? place('contrats-valides') : place('mes-parrainages', 'parrainage', saleId);
}

/** The company's settings, at its data. */
export const settingsPlace: Place = { section: 'reglages', detail: { bloc: 'donnees' } };

/** Section of each role with the accounts that it may question or answer for (LG-06). */
const disputeSections: Readonly<Record<Role, string>> = {
  admin: 'controle-des-comptes',
  commercial: 'mon-compte',
  client: 'mes-commissions',
  comptable: 'comptabilite',
};

function place(section: string, record?: string, id: string | null = null): Place {
  return { section, detail: record === undefined || id === null ? {} : { [record]: id } };
}

/**
 * The address of a place in a role's dashboard, as a mail links to it. The commercial's dashboard takes it into its history
 * entry on arrival: there the address shows no place (CO-01).
 */
export function placePath(role: string, { section, detail }: Place): string {
  return `${dashboardPathFor(role)}?${new URLSearchParams({ section, ...detail }).toString()}`;
}
