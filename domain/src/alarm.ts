/** Operational alarms: trouble that no user caused. Admins see them on screen and receive each once by mail. */
export const alarmKinds = [
  'mail_stuck',
  'disk_nearly_full',
  'backup_too_old',
  'invariant_broken',
  'webhook_failing',
  'legal_notice_missing',
  'e_invoices_stuck',
] as const;
export type AlarmKind = (typeof alarmKinds)[number];

/** Written for the owner of a company, not for an operator: the problem, its consequence, the remedy. */
export type AlarmWords = {
  readonly title: string;
  readonly meaning: string;
  readonly advice: string;
};

export const alarmWords: Readonly<Record<AlarmKind, AlarmWords>> = {
  mail_stuck: {
    title: 'Des e-mails ne partent pas',
    meaning: 'Le serveur d’e-mail refuse ou ne répond plus : des invitations et des liens de connexion n’arrivent pas.',
    advice:
      'Faites vérifier le compte d’envoi (SMTP_URL), puis envoyez un message d’essai depuis « État du système ». Les messages en attente partiront d’eux-mêmes.',
  },
  disk_nearly_full: {
    title: 'Le disque est presque plein',
    meaning: 'Quand il sera plein, plus rien ne pourra être enregistré.',
    advice: 'Faites agrandir le disque du serveur, ou libérer de la place.',
  },
  backup_too_old: {
    title: 'La dernière sauvegarde est trop ancienne',
    meaning: 'Une panne du disque ferait perdre tout ce qui a été enregistré depuis.',
    advice: 'Faites lancer « npm run backup » sur le serveur, et programmer les suivantes.',
  },
  invariant_broken: {
    title: 'La vérification des comptes signale un problème',
    meaning:
      'Des montants ou des états enregistrés ne concordent plus entre eux, ou la vérification n’a pas pu aller au bout.',
    advice:
      'Ne payez rien qui vous semble douteux et ne corrigez rien à la main : faites lancer « npm run verify » et transmettez ce qu’il affiche à la personne qui s’occupe du serveur.',
  },
  webhook_failing: {
    title: 'Un webhook ne répond plus',
    meaning:
      'Un autre logiciel ne reçoit plus ce qui se passe dans votre programme, ou a demandé à ne plus le recevoir.',
    advice:
      'Ouvrez « Intégrations » : le journal des webhooks dit ce que l’autre logiciel répond. Corrigez l’adresse, réactivez l’envoi, ou supprimez-le.',
  },
  legal_notice_missing: {
    title: 'Vos mentions légales sont vides',
    meaning: 'La loi oblige tout site à dire qui l’édite, qui l’héberge et comment vous joindre.',
    advice: 'Ouvrez « Paramètres », puis « Remplir les mentions légales » : deux minutes suffisent.',
  },
  e_invoices_stuck: {
    title: 'Des factures électroniques ne partent pas',
    meaning:
      'Depuis plus d’un jour, votre plateforme agréée refuse ou ne répond plus : des factures, ou vos réponses à celles que vous recevez, attendent.',
    advice:
      'Ouvrez « Comptabilité » : la raison que donne la plateforme y est. Corrigez l’adresse, l’identifiant ou le secret, ou appelez la plateforme. Ce qui attend partira de lui-même.',
  },
};
