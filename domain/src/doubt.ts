/** FD-01: the rules that open a doubtful case, in the order of the screen. The database looks; these are the words. */
export const doubtRules = [
  'self_referral',
  'known_friend',
  'team_referrer',
  'same_device',
  'shared_iban',
  'changed_iban',
  'burst',
] as const;
export type DoubtRule = (typeof doubtRules)[number];

/** A rule's name, and where it looks. */
export const doubtRuleWords: Readonly<Record<DoubtRule, { label: string; looksAt: string }>> = {
  self_referral: {
    label: 'Un client se parraine lui-même',
    looksAt: 'L’ami a une adresse presque identique à celle du client, son téléphone ou son nom.',
  },
  known_friend: {
    label: 'L’ami est déjà connu de l’entreprise',
    looksAt: 'Un client ou un membre de l’équipe a le téléphone de l’ami, ou son e-mail à un point près.',
  },
  team_referrer: {
    label: 'Un commercial est aussi bénéficiaire',
    looksAt: 'Le parrain a l’e-mail ou le téléphone d’un membre de l’équipe, ou le nom du commercial du parrainage.',
  },
  same_device: {
    label: 'L’ami écrit depuis l’appareil du parrain',
    looksAt:
      'Le formulaire du lien personnel vient du réseau et du navigateur d’une session du parrain. Ils sont comparés aussitôt, et pas gardés.',
  },
  shared_iban: {
    label: 'Le même IBAN sur deux personnes',
    looksAt: 'Une demande de paiement, ou le compte d’un commercial, va sur un compte où quelqu’un d’autre est payé.',
  },
  changed_iban: {
    label: 'Une demande après un changement d’IBAN',
    looksAt: 'Le compte en remplace un autre depuis moins de 7 jours, et son titulaire ne l’a pas confirmé.',
  },
  burst: {
    label: 'Beaucoup de parrainages en une heure',
    looksAt: 'Un client recommande plus d’amis en une heure que le nombre habituel.',
  },
};

/** Criteria that were compared: never their values. */
export const doubtComparedLabels = {
  email: 'Adresse e-mail presque identique',
  phone: 'Même téléphone',
  name: 'Même nom',
  number: 'Nombre de parrainages en une heure',
  device: 'Même réseau et même navigateur',
  iban: 'Même IBAN',
  delay: 'IBAN changé depuis moins de 7 jours',
} as const;
export type DoubtCompared = keyof typeof doubtComparedLabels;

export const doubtfulCaseStatuses = ['open', 'confirmed', 'cleared'] as const;
export type DoubtfulCaseStatus = (typeof doubtfulCaseStatuses)[number];

export const doubtfulCaseStatusLabels: Readonly<Record<DoubtfulCaseStatus, string>> = {
  open: 'À examiner',
  confirmed: 'Confirmé',
  cleared: 'Rien à signaler',
};

/** The decisions that a case still allows. */
export const doubtfulCaseMoves: Readonly<Record<DoubtfulCaseStatus, readonly DoubtDecision[]>> = {
  open: ['cleared', 'confirmed'],
  confirmed: ['cleared'],
  cleared: [],
};
export type DoubtDecision = Exclude<DoubtfulCaseStatus, 'open'>;

export const doubtDecisionReasonRequired = 'Veuillez indiquer la raison de votre décision';
export const doubtfulCaseDecided = 'Décision enregistrée';

/** Most referrals within an hour that a company may find usual. */
export const burstMax = 100;
export const burstInvalid = `Indiquez un nombre de parrainages, de 1 à ${burstMax}.`;
