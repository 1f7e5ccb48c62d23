import { formatDateTime } from '@parrain/domain/date';
import { formatEuros, fromWire } from '@parrain/domain/money';
import { roleLabels, isRole } from '@parrain/domain/role';

/** The file of one's own data as a page that anyone can open and read: the same facts, with their French names. */
export function personalDataPage(data: object, name: string): string {
  const parts = Object.entries(data)
    .filter(([key]) => key !== 'exported_at')
    .map(([key, value]) => section(titles[key] ?? key, value));
  const exportedAt = 'exported_at' in data && typeof data.exported_at === 'string' ? data.exported_at : '';
  return `<!doctype html>
<html lang="fr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Mes données – ${escaped(name)}</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 0 auto; padding: 2rem 1rem 4rem; font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 2.5rem 0 .5rem; font-size: 1.15rem; }
dl { display: grid; grid-template-columns: minmax(9rem, 16rem) 1fr; gap: .25rem 1.5rem; margin: 0; padding: .75rem 0; border-top: 1px solid #8884; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
</style>
</head>
<body>
<h1>Les données de ${escaped(name)}</h1>
<p>Extraites le ${escaped(formatDateTime(exportedAt))}.</p>
${parts.join('\n')}
</body>
</html>
`;
}

function section(title: string, value: unknown): string {
  const rows = Array.isArray(value) ? (value as unknown[]) : value === null || value === undefined ? [] : [value];
  const body = rows.length === 0 ? '<p>Rien.</p>' : rows.map(facts).join('\n');
  const count = rows.length > 1 ? ` (${rows.length})` : '';
  return `<section>\n<h2>${escaped(title)}${count}</h2>\n${body}\n</section>`;
}

function facts(row: unknown): string {
  if (typeof row !== 'object' || row === null) return `<p>${escaped(String(row))}</p>`;
  const lines = Object.entries(row).flatMap(([key, value]) => {
    const text = valueText(key, value);
    return text === '' ? [] : [`<dt>${escaped(labels[key] ?? key)}</dt><dd>${escaped(text)}</dd>`];
  });
  return `<dl>${lines.join('')}</dl>`;
}

function valueText(key: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return '';
  if (typeof value === 'boolean') return value ? 'oui' : 'non';
  if (key === 'role' && isRole(value)) return roleLabels[value];
  if ((typeof value === 'number' || typeof value === 'string') && isAmount(key)) {
    try {
      return formatEuros(fromWire(value));
    } catch {
      return String(value);
    }
  }
  if (typeof value === 'object') {
    const parts = Object.entries(value).map(([name, part]) => `${labels[name] ?? name} : ${valueText(name, part)}`);
    return parts.join(' · ');
  }
  if (typeof value === 'string' && (key === 'at' || key.endsWith('_at'))) return formatDateTime(value);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}

function isAmount(key: string): boolean {
  return amounts.has(key) || key.endsWith('_commission_amount');
}

const amounts: ReadonlySet<string> = new Set(['amount', 'contract_amount', 'earned', 'reversed', 'reserved', 'paid']);

const titles: Readonly<Record<string, string>> = {
  account: 'Compte',
  profile: 'Profil',
  identities: 'Moyens de connexion',
  sessions: 'Appareils connectés',
  second_factors: 'Double authentification',
  passkeys: 'Clés d’accès',
  account_events: 'Historique du compte',
  balance: 'Solde',
  sales: 'Parrainages et contrats',
  commission_payments: 'Commissions',
  payment_requests: 'Demandes de paiement',
  ledger_entries: 'Mouvements du solde',
  account_closure_requests: 'Demandes de fermeture du compte',
  notices: 'Notifications',
  notice_preferences: 'Choix des e-mails et du téléphone',
  phones: 'Appareils qui reçoivent des notifications',
  list_views: 'Vues des listes',
};

const labels: Readonly<Record<string, string>> = {
  id: 'Identifiant',
  email: 'E-mail',
  phone: 'Téléphone',
  full_name: 'Nom',
  role: 'Rôle',
  company: 'Entreprise',
  notes: 'Notes',
  created_at: 'Créé le',
  updated_at: 'Modifié le',
  last_sign_in_at: 'Dernière connexion',
  email_confirmed_at: 'Adresse confirmée le',
  phone_confirmed_at: 'Téléphone confirmé le',
  invited_at: 'Invité le',
  new_email: 'Nouvelle adresse en attente',
  provider: 'Fournisseur',
  provider_id: 'Identifiant chez lui',
  data: 'Ce qu’il a transmis',
  user_metadata: 'Autres informations',
  last_used_at: 'Dernière utilisation',
  user_agent: 'Navigateur',
  ip: 'Adresse IP',
  is_current: 'Cet appareil',
  type: 'Type',
  name: 'Nom',
  status: 'Statut',
  kind: 'Événement',
  topic: 'Sujet',
  list: 'Liste',
  settings: 'Filtres',
  delivery: 'Envoi',
  on_phone: 'Sur le téléphone',
  endpoint: 'Adresse chez le service de notification',
  read_at: 'Lue le',
  at: 'Date',
  action: 'Événement',
  earned: 'Acquis',
  reversed: 'Repris',
  act: 'Mouvement',
  debit: 'De',
  credit: 'Vers',
  detail: 'Précision',
  reserved: 'Réservé',
  paid: 'Payé',
  amount: 'Montant',
  contract_amount: 'Montant du contrat',
  contract_description: 'Description du contrat',
  client_commission_amount: 'Commission client',
  commercial_commission_amount: 'Commission commercial',
  referred_contact_name: 'Contact',
  referred_contact_email: 'E-mail du contact',
  referred_contact_phone: 'Téléphone du contact',
  personal_message: 'Message',
  commercial_notes: 'Notes du commercial',
  rejection_reason: 'Raison du refus',
  approval_annulled_reason: 'Approbation annulée',
  validated_at: 'Validé le',
  payment_method: 'Mode de paiement',
  payment_details: 'Coordonnées de paiement',
  admin_notes: 'Notes de l’administrateur',
  approved_at: 'Approuvé le',
  paid_at: 'Payé le',
  returned_at: 'Revenu de la banque le',
  return_reason: 'Raison du retour',
  settlement_reference: 'Référence du paiement',
  association_name: 'Association',
  association_number: 'RNA ou SIREN',
  requested_at: 'Demandé le',
  decided_at: 'Décidé le',
  commercial_id: 'Commercial',
  client_id: 'Client',
  sale_id: 'Vente',
  recipient_id: 'Bénéficiaire',
  profile_id: 'Compte',
  is_test: 'Donnée de test',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.charCodeAt(0)};`);
}
