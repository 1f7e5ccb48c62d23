import { noticeKinds } from './notice.ts';
import type { NoticeKind } from './notice.ts';
import type { Tone } from './sale.ts';

/** The groups that the list of sent mails is filtered by (TM-04). */
export const mailGroups = ['news', 'invitations', 'codes', 'security', 'requests', 'system'] as const;
export type MailGroup = (typeof mailGroups)[number];

export const mailGroupLabels: Readonly<Record<MailGroup, string>> = {
  news: 'Nouvelles et rappels',
  invitations: 'Invitations',
  codes: 'Codes et liens',
  security: 'Sécurité du compte',
  requests: 'Demandes reçues',
  system: 'Système',
};

export interface MailKind {
  readonly label: string;
  readonly group: MailGroup;
  /** It holds a code, a password or a link that opens a session: its text is never kept after its last try, nor sent again. */
  readonly isSecret: boolean;
}

const open = (group: MailGroup, label: string): MailKind => ({ label, group, isSecret: false });
const secret = (group: MailGroup, label: string): MailKind => ({ label, group, isSecret: true });

const NOTICE_LABELS: Readonly<Record<NoticeKind, string>> = {
  referral_received: 'Nouveau parrainage',
  referral_contacted: 'Premier contact',
  referral_in_negotiation: 'Négociation en cours',
  referral_signed: 'Contrat signé',
  referral_refused: 'Parrainage clos',
  referral_late: 'Parrainage à contacter',
  referral_still_late: 'Parrainage en retard',
  call_agreed: 'Accord pour être appelé',
  call_declined: 'Refus d’être appelé',
  friend_said_no: 'Refus d’être contacté',
  contacts_to_erase: 'Contacts à effacer',
  appointment_asked: 'Rendez-vous demandé',
  referrals_imported: 'Parrainages importés',
  client_alone: 'Client sans commercial',
  commercial_asked: 'Commercial demandé',
  client_received: 'Nouveau client',
  commercial_given: 'Commercial attribué',
  call_back_due: 'Contact à relancer',
  news_asked: 'Nouvelles demandées',
  contract_to_validate: 'Contrat à valider',
  contract_validated: 'Contrat validé',
  contract_refused: 'Contrat refusé',
  contract_annulled: 'Validation annulée',
  correction_asked: 'Contrat à corriger',
  dispute_opened: 'Ligne contestée',
  dispute_answered: 'Message sur une contestation',
  dispute_closed: 'Contestation close',
  adjustment_annulled: 'Ajustement annulé',
  account_adjusted: 'Compte ajusté',
  adjustment_to_confirm: 'Ajustement à confirmer',
  debt_repaid: 'Remboursement enregistré',
  debt_waived: 'Dette abandonnée',
  debt_act_annulled: 'Opération sur une dette annulée',
  waiver_to_confirm: 'Abandon de dette à confirmer',
  payment_received: 'Demande de paiement reçue',
  payment_to_decide: 'Demande de paiement à traiter',
  payment_approved: 'Demande de paiement approuvée',
  payment_refused: 'Demande de paiement refusée',
  payment_paid: 'Demande de paiement payée',
  payment_annulled: 'Approbation annulée',
  payment_returned: 'Virement revenu de la banque',
  invoice_received: 'Facture reçue',
  invoice_accepted: 'Facture acceptée',
  invoice_refused: 'Facture refusée',
  invoice_lapsed: 'Facture à refaire',
  month_rejected: 'Virement de commissions rejeté',
  month_returned: 'Virement de commissions revenu',
  iban_checked: 'IBAN vérifié',
  archive_ready: 'Archive des données prête',
  archive_failed: 'Archive des données en échec',
};

/** Every kind of mail, by the template that writes it. */
export const mailKinds: Readonly<Record<string, MailKind>> = {
  'commercial-invitation': secret('invitations', 'Invitation d’un commercial'),
  'client-invitation': secret('invitations', 'Invitation d’un client'),
  'comptable-invitation': secret('invitations', 'Invitation du comptable'),
  'friend-invitation': open('invitations', 'Invitation d’un ami'),
  'friend-message': open('invitations', 'Message à un ami recommandé'),
  'control-change': open('security', 'Contrôle qui va être levé'),
  'friend-request': open('invitations', 'Demande d’un ami, par un lien personnel'),
  invite: secret('invitations', 'Ouverture de compte'),
  confirmation: secret('codes', 'Confirmation d’adresse'),
  recovery: secret('codes', 'Nouveau mot de passe'),
  magic_link: secret('codes', 'Lien de connexion'),
  email_change_new: secret('codes', 'Changement d’adresse'),
  email_change_current: secret('codes', 'Changement d’adresse'),
  reauthentication: secret('codes', 'Code de confirmation'),
  account_exists: open('security', 'Inscription avec une adresse connue'),
  password_changed: open('security', 'Mot de passe modifié'),
  email_changed: open('security', 'Adresse modifiée'),
  phone_added: open('security', 'Téléphone ajouté'),
  phone_changed: open('security', 'Téléphone modifié'),
  factor_added: open('security', 'Double authentification ajoutée'),
  factor_changed: open('security', 'Double authentification modifiée'),
  factor_removed: open('security', 'Double authentification retirée'),
  recovery_code_used: open('security', 'Code de secours utilisé'),
  recovery_codes_made: open('security', 'Codes de secours créés'),
  recovery_codes_removed: open('security', 'Codes de secours retirés'),
  codes_closed: open('security', 'Codes bloqués'),
  sessions_ended: open('security', 'Appareils déconnectés'),
  passkey_added: open('security', 'Clé d’accès ajoutée'),
  passkey_removed: open('security', 'Clé d’accès retirée'),
  identity_linked: open('security', 'Moyen de connexion ajouté'),
  identity_unlinked: open('security', 'Moyen de connexion retiré'),
  'second-factor-reset': open('security', 'Double authentification retirée'),
  'changed-iban': secret('security', 'IBAN à confirmer'),
  'accountant-dossier': open('news', 'Dossier comptable prêt'),
  'appointment-request': open('requests', 'Demande de rendez-vous'),
  'account-closure-request': open('requests', 'Demande de fermeture de compte'),
  'account-closure-decision': open('requests', 'Réponse à une fermeture de compte'),
  alarm: open('system', 'Alarme du système'),
  trial: open('system', 'Message d’essai'),
  notices: open('news', 'Plusieurs nouvelles'),
  ...Object.fromEntries(noticeKinds.map((kind) => [`notice-${kind}`, open('news', NOTICE_LABELS[kind])])),
};

/** The kind of a mail; one that a later version no longer writes is taken for a secret. */
export function mailKindOf(template: string): MailKind {
  return mailKinds[template] ?? { label: 'Message', group: 'system', isSecret: true };
}

/** The templates of a group. */
export function templatesOf(group: MailGroup): readonly string[] {
  return Object.keys(mailKinds).filter((template) => mailKindOf(template).group === group);
}

/** States of a mail as screens show them. The database has fewer: `queued`, `sending`, `accepted`, `failed`, `withdrawn`. */
export const mailStates = ['waiting', 'retried', 'sending', 'accepted', 'refused', 'given_up', 'withdrawn'] as const;
export type MailState = (typeof mailStates)[number];

/** Attempts after which a mail is given up: sixteen hours. */
export const mailAttemptsMax = 12;

export function mailState({ status, attempts }: { readonly status: string; readonly attempts: number }): MailState {
  switch (status) {
    case 'queued':
      return attempts === 0 ? 'waiting' : 'retried';
    case 'failed':
      return attempts >= mailAttemptsMax ? 'given_up' : 'refused';
    case 'accepted':
    case 'withdrawn':
      return status;
    default:
      return 'sending';
  }
}

export const mailStateLabels: Readonly<Record<MailState, string>> = {
  waiting: 'En attente',
  retried: 'Refusé pour l’instant',
  sending: 'En cours d’envoi',
  accepted: 'Envoyé',
  refused: 'Non parti',
  given_up: 'Abandonné',
  withdrawn: 'Retiré',
};

/** The meaning of a state, for who runs the company. */
export const mailStateMeanings: Readonly<Record<MailState, string>> = {
  waiting: 'Il part d’ordinaire en quelques secondes.',
  retried: 'Il est réessayé de lui-même pendant 16 heures.',
  sending: 'Le serveur d’e-mail le reçoit en ce moment.',
  accepted: 'Le serveur d’e-mail l’a accepté. S’il n’est pas arrivé, il est peut-être parmi les indésirables.',
  refused: 'Refusé définitivement : il ne partira pas de lui-même.',
  given_up: 'Abandonné après 12 essais en 16 heures : il ne partira pas de lui-même.',
  withdrawn:
    'Retiré avant son départ, par exemple parce que son contenu a été montré à l’écran : il ne partira jamais.',
};

export const mailStateTones: Readonly<Record<MailState, Tone>> = {
  waiting: 'blue',
  retried: 'amber',
  sending: 'blue',
  accepted: 'green',
  refused: 'red',
  given_up: 'red',
  withdrawn: 'neutral',
};
