/** A mail's name, by its template. */
export function mailName(template: string): string {
  return MAILS[template] ?? 'Notification';
}

const MAILS: Readonly<Record<string, string | undefined>> = {
  'commercial-invitation': 'Invitation d’un commercial',
  'client-invitation': 'Invitation d’un client',
  'friend-invitation': 'Invitation d’un ami',
  'appointment-request': 'Demande de rendez-vous',
  'account-closure-request': 'Demande de fermeture de compte',
  'account-closure-decision': 'Réponse à une fermeture de compte',
  alarm: 'Alarme du système',
  trial: 'Message d’essai',
  confirmation: 'Confirmation d’adresse',
  account_exists: 'Inscription avec une adresse connue',
  recovery: 'Nouveau mot de passe',
  invite: 'Ouverture de compte',
  magic_link: 'Lien de connexion',
  email_change_new: 'Changement d’adresse',
  email_change_current: 'Changement d’adresse',
  reauthentication: 'Code de confirmation',
  password_changed: 'Mot de passe modifié',
};

/** A job's name, by its task. */
export function taskName(task: string): string {
  return TASKS[task] ?? task;
}

const TASKS: Readonly<Record<string, string | undefined>> = {
  send_mail: 'Envoi d’un e-mail',
  alarms: 'Surveillance',
  verification: 'Vérification des comptes',
  auth_cleanup: 'Ménage des comptes',
  functions_cleanup: 'Ménage des données périmées',
};

/** A table's content in a word, by its name. */
export function tableName(table: string): string {
  return TABLES[table] ?? table;
}

const TABLES: Readonly<Record<string, string | undefined>> = {
  'public.sales': 'Ventes et parrainages',
  'public.audit_entries': 'Journal',
  'public.commission_payments': 'Commissions',
  'public.payment_requests': 'Demandes de paiement',
  'public.profiles': 'Personnes',
  'public.commission_rates': 'Barèmes',
  'public.balances': 'Soldes',
  'auth.audit_entries': 'Journal de sécurité',
  'auth.users': 'Comptes',
  'auth.identities': 'Moyens de connexion',
  'auth.sessions': 'Appareils connectés',
  'auth.session_methods': 'Connexions des appareils',
  'private.mails': 'E-mails',
  'private.changes': 'Annonces des changements récents',
  'figures.sale_totals': 'Totaux des ventes',
  'figures.referrer_totals': 'Totaux des parrains',
  'figures.company_totals': 'Totaux de l’entreprise',
  'storage.objects': 'Images',
};
