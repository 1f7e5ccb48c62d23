import type { SystemState } from '#api/company/system-state';

/** A job's name, by its task. */
export function taskName(task: string): string {
  return TASKS[task] ?? task;
}

const TASKS: Readonly<Record<string, string | undefined>> = {
  send_mail: 'Envoi d’un e-mail',
  alarms: 'Surveillance',
  alarm_webhook: 'Alarme transmise',
  verification: 'Vérification des comptes',
  auth_cleanup: 'Ménage des comptes',
  mail_notices: 'E-mails des nouvelles',
  mail_morning: 'E-mails du matin',
  follow_ups: 'Relances des parrainages',
  exports_make_archive: 'Archive des données',
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
  'public.notices': 'Notifications',
  'private.archive_parts': 'Archive des données',
  'public.follow_ups': 'Suivi des parrainages',
  'private.changes': 'Annonces des changements récents',
  'figures.sale_totals': 'Totaux des ventes',
  'figures.referrer_totals': 'Totaux des parrains',
  'figures.company_totals': 'Totaux de l’entreprise',
  'storage.objects': 'Images',
};

/** Lists the missing settings that no alarm reports: without a mail server or a backup nothing is broken, and nothing is safe. */
export function missingSettings({
  mail,
  backup,
  hasLegalNotice,
}: Pick<SystemState, 'mail' | 'backup' | 'hasLegalNotice'>): readonly string[] {
  return [
    ...(mail.isConfigured
      ? []
      : [
          'un serveur d’e-mail (SMTP_URL) : invitations et liens de connexion ne partent pas, vous les transmettez vous-même.',
        ]),
    ...(backup.lastSuccessAt === null && backup.alarmDays !== null
      ? ['une sauvegarde : une panne du disque ferait tout perdre. Faites lancer « npm run backup » sur le serveur.']
      : []),
    ...(hasLegalNotice
      ? []
      : ['les mentions légales, que la loi demande : « Paramètres », « Remplir les mentions légales ».']),
  ];
}
