import { exportedLists, type ExportedListName } from '@parrain/domain/exports';
import type { Role } from '@parrain/domain/role';

/** A setting that the palette leads to (UI-13): a block of a page, or a dialog, by its address. */
export interface Spot {
  label: string;
  /** The words by which people look for it, where its label says others. */
  also: string;
  section: string;
  detail: Readonly<Record<string, string>>;
}

/** Makes the spots of a section, whose address names the block by this word. */
const spotsIn =
  (section: string, name: string) =>
  (block: string, label: string, also: string): Spot => ({ label, also, section, detail: { [name]: block } });
const profile = spotsIn('profil', 'carte');

/** A setting of the company; its name and logo are the dialog « Paramètres » (AD-11). */
const setting = <Id extends string>(id: Id, label: string, also: string) => ({
  id,
  ...spotsIn('reglages', id === 'nom' ? 'parametres' : 'bloc')(id, label, also),
});
/** A setting that stands with the lists it rules: the page leads there. */
const settingElsewhere = <Id extends string>(id: Id, section: string, label: string, also: string) => ({
  id,
  label,
  also,
  section,
  detail: {},
});
export type SettingId = (typeof companySettingSubjects)[number]['settings'][number]['id'];

/** Settings that everyone has for their own account. */
export const ownSpots: readonly Spot[] = [
  profile('identite', 'Nom et téléphone', 'prénom numéro coordonnées portable'),
  profile('e-mail', 'E-mail', 'changer adresse courriel mail identifiant'),
  profile('mot-de-passe', 'Mot de passe', 'changer modifier code connexion'),
  profile('double-authentification', 'Double authentification', '2fa code téléphone sécurité application secours'),
  profile('cles', 'Clés d’accès', 'passkey empreinte visage sans mot de passe'),
  profile('appareils', 'Appareils connectés', 'session déconnecter partout ordinateur téléphone volé'),
  profile('messages', 'Messages reçus', 'e-mail notification push téléphone prévenir alerte désabonner'),
  profile('donnees', 'Mes données', 'rgpd télécharger copie export droit'),
  profile('fermeture', 'Fermer mon compte', 'supprimer effacer quitter résilier'),
];

/**
 * UI-05: the settings of a company by subject, in the order of their page, which shows a block of each
 * (../admin/reglages/setting-blocks.tsx), or the way to the section that holds it.
 */
export const companySettingSubjects = [
  {
    subject: 'Entreprise',
    settings: [
      setting('nom', 'Nom, logo et couleur', 'entreprise marque image charte e-mails paramètres'),
      setting('page', 'Page publique', 'présentation texte lien qr ami photo image offre avantage cadeau'),
      setting('mentions', 'Mentions légales et accessibilité', 'éditeur siret adresse hébergeur site'),
    ],
  },
  {
    subject: 'Parrainages',
    settings: [
      settingElsewhere('baremes', 'commissions', 'Barèmes de commission', 'taux pourcentage montant fixe défaut'),
      setting('regles', 'Règles du programme', 'conditions cgu accepter parrainage'),
      setting('nouveaux-clients', 'Nouveaux clients', 'attribuer inscription commercial répartir tour'),
      setting('relances', 'Relances', 'délai retard rappel jours suivi'),
      setting('premier-parrain', 'Premier parrain', 'doublon même ami deux fois mois'),
      setting('appels', 'Accord pour être appelé', 'consentement démarchage téléphone loi bloctel'),
      setting('contacts', 'Contacts sans contrat', 'rgpd effacer conservation durée oublier'),
    ],
  },
  {
    subject: 'Paiements',
    settings: [
      setting('compte', 'Compte de l’entreprise', 'iban bic banque débité sepa virement'),
      setting('demandes', 'Demandes acceptées', 'minimum seuil jours moyens chèque cadeau don remise virement'),
      setting('validation', 'Double validation', 'quatre yeux deux admins seuil virement'),
      settingElsewhere(
        'comptabilite',
        'comptabilite',
        'Comptes, pièces et DAS2',
        'facture autofacture siren tva journal',
      ),
    ],
  },
  {
    subject: 'Sécurité et données',
    settings: [
      setting('securite', 'Sécurité des administrateurs', 'double authentification obligatoire exiger'),
      settingElsewhere('doutes', 'cas-douteux', 'Règles des cas douteux', 'fraude alerte signaler bloquer retenir'),
      setting('donnees', 'Vos données', 'archive export rgpd tout télécharger sauvegarde'),
    ],
  },
] as const;

/** The settings of each role, in the order of their screens. */
export const spots: Readonly<Record<Role, readonly Spot[]>> = {
  admin: [...companySettingSubjects.flatMap<Spot>(({ settings }) => settings), ...ownSpots],
  commercial: [profile('iban', 'Compte bancaire', 'iban rib banque virement commissions payé'), ...ownSpots],
  client: ownSpots,
  // An accountant is sent no news, and the company closes their access.
  comptable: ownSpots.filter(
    ({ detail: { carte } }) => carte !== 'messages' && carte !== 'donnees' && carte !== 'fermeture',
  ),
};

/** The lists that each role exports, each with the section that holds it. */
export const exportSpots: Readonly<Record<Role, readonly (readonly [ExportedListName, section: string])[]>> = {
  admin: [
    ['sales', 'ventes'],
    ['clients', 'clients'],
    ['commercials', 'commerciaux'],
    ['sales-to-validate', 'validations'],
    ['payment-requests', 'demandes-de-paiement'],
    ['payments-made', 'historique-des-paiements'],
    ['payment-batches', 'virements'],
    ['commission-periods', 'commissions-des-commerciaux'],
    ['commission-payments', 'commissions'],
    ['payee-accounts', 'controle-des-comptes'],
    ['audit-entries', 'journal'],
    ['sent-mails', 'messages-envoyes'],
  ],
  commercial: [
    ['received-referrals', 'parrainages-recus'],
    ['commercial-contracts', 'contrats-d-affiliation'],
    ['client-summaries', 'mes-clients'],
  ],
  client: [
    ['own-referrals', 'mes-parrainages'],
    ['own-contracts', 'contrats-valides'],
    ['own-commissions', 'mes-commissions'],
    ['own-payment-requests', 'demandes-de-paiement'],
  ],
  comptable: [],
};

/** The words by which people look for what a section holds, by the section's id. */
export const wordsOfSections: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  admin: {
    'vue-d-ensemble': 'accueil tableau de bord chiffres à faire rendez-vous aujourd’hui',
    commerciaux: 'équipe vendeur inviter export iban',
    clients: 'parrain inviter importer export attribuer',
    ventes: 'parrainage contrat contact export excel csv importer relancer',
    commissions: 'barème taux pourcentage',
    validations: 'valider contrat signé refuser',
    'demandes-de-paiement': 'payer iban approuver refuser virement chèque cadeau don remise export',
    virements: 'sepa banque iban fichier payer double validation',
    'commissions-des-commerciaux': 'payer mois période export',
    'historique-des-paiements': 'payé virement reçu export',
    reseau: 'arbre qui parraine',
    'cas-douteux': 'fraude doublon même iban',
    'controle-des-comptes': 'solde écart contestation relevé',
    comptabilite: 'dossier zip export fec das2 tva facture comptable écritures',
    journal: 'audit trace qui a fait export',
    'messages-envoyes': 'mail e-mail courriel',
    'etat-du-systeme': 'sauvegarde smtp serveur version alarme',
    reglages: 'paramètres réglages options préférences configuration',
    integrations: 'api clé webhook connecter',
    profil: 'mot de passe changer e-mail téléphone iban double authentification sécurité déconnecter mes données',
  },
  commercial: {
    'parrainages-recus': 'relancer appeler contact ami importer export statut aujourd’hui retard à faire',
    'mes-clients': 'parrain inviter importer export',
    'contrats-d-affiliation': 'commission gain gagné en attente signé',
    profil: 'mot de passe changer e-mail téléphone iban double authentification sécurité déconnecter mes données',
    reseau: 'arbre qui parraine',
    'mon-compte': 'solde relevé commission payé iban export',
    documents: 'facture relevé pdf attestation export',
  },
  client: {
    'mes-parrainages': 'recommander inviter ami lien qr taux gain argent portefeuille',
    'contrats-valides': 'signé export',
    'mes-commissions': 'gain solde argent relevé export',
    'demandes-de-paiement': 'payer virement iban chèque cadeau don remise argent',
    profil: 'mot de passe changer e-mail téléphone iban double authentification sécurité déconnecter mes données',
    reseau: 'arbre qui parraine',
    documents: 'facture relevé pdf attestation export',
  },
  comptable: {
    comptabilite: 'dossier zip export fec das2 tva facture écritures journal relevé pièce',
    profil: 'mot de passe changer e-mail téléphone double authentification sécurité déconnecter',
  },
};

/** The words by which people look for actions, by the action's id. */
export const wordsOfActions: Readonly<Record<string, string>> = {
  'ajouter-client': 'inviter créer nouveau',
  'ajouter-commercial': 'inviter créer nouveau vendeur équipe',
  'importer-clients': 'excel csv fichier reprise',
  'importer-parrainages': 'excel csv fichier reprise contrat',
  'creer-bareme': 'taux commission pourcentage créer ajouter',
  'inviter-ami': 'recommander parrainer',
  'mon-lien': 'partager qr code carte recommander',
  'demander-paiement': 'recevoir mon argent virement iban chèque cadeau don retirer payer',
};

/** « Exporter : Ventes », as its button says it, and its id among the actions. */
export const exportAction = (list: ExportedListName, name: string = exportedLists[list]) => ({
  id: `exporter:${list}`,
  label: `Exporter : ${name}`,
});
export const isExport = (actionId: string) => actionId.startsWith('exporter:');
export const wordsOfExports = 'excel csv tableur télécharger fichier liste';
