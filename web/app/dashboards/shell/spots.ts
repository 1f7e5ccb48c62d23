import { exportedLists, type ExportedListName } from '@parrain/domain/exports';
import type { Role } from '@parrain/domain/role';

/** A setting that the palette leads to (UI-13): a block of a dialog or of a page, by its address. */
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
const company = spotsIn('vue-d-ensemble', 'parametres');
const payments = spotsIn('demandes-de-paiement', 'reglages');
const profile = spotsIn('profil', 'carte');

const own: readonly Spot[] = [
  profile('identite', 'Nom et téléphone', 'prénom numéro coordonnées portable'),
  profile('e-mail', 'E-mail', 'changer adresse courriel mail identifiant'),
  profile('mot-de-passe', 'Mot de passe', 'changer modifier code connexion'),
  profile('double-authentification', 'Double authentification', '2fa code téléphone sécurité application secours'),
  profile('cles', 'Clés d’accès', 'passkey empreinte visage sans mot de passe'),
  profile('appareils', 'Appareils connectés', 'session déconnecter partout ordinateur téléphone volé'),
  profile('messages', 'Messages reçus', 'e-mail notification prévenir alerte désabonner'),
  profile('donnees', 'Mes données', 'rgpd télécharger copie export droit'),
  profile('fermeture', 'Fermer mon compte', 'supprimer effacer quitter résilier'),
];

/** The settings of each role, in the order of their screens. */
export const spots: Readonly<Record<Role, readonly Spot[]>> = {
  admin: [
    company('nom', 'Nom, logo et couleur', 'entreprise marque image charte e-mails'),
    company('page', 'Page publique', 'présentation texte lien qr ami'),
    company('mentions', 'Mentions légales', 'éditeur siret adresse hébergeur site'),
    company('regles', 'Règles du programme', 'conditions cgu accepter parrainage'),
    company('appels', 'Accord pour être appelé', 'consentement démarchage téléphone loi bloctel'),
    company('premier-parrain', 'Premier parrain', 'doublon même ami deux fois mois'),
    company('contacts', 'Contacts sans contrat', 'rgpd effacer conservation durée oublier'),
    company('nouveaux-clients', 'Nouveaux clients', 'attribuer inscription commercial répartir tour'),
    company('relances', 'Relances', 'délai retard rappel jours suivi'),
    company('securite', 'Sécurité des admins', 'double authentification obligatoire exiger'),
    company('donnees', 'Vos données', 'archive export rgpd tout télécharger sauvegarde'),
    payments('compte', 'Compte de l’entreprise', 'iban bic banque débité sepa virement'),
    payments('validation', 'Double validation', 'quatre yeux deux admins seuil virement'),
    payments('demandes', 'Demandes acceptées', 'minimum seuil jours moyens chèque cadeau don remise virement'),
    ...own,
  ],
  commercial: [profile('iban', 'Compte bancaire', 'iban rib banque virement commissions payé'), ...own],
  client: own,
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
};

/** The words by which people look for what a section holds, by the section's id. */
export const wordsOfSections: Readonly<Record<Role, Readonly<Record<string, string>>>> = {
  admin: {
    'vue-d-ensemble': 'accueil tableau de bord chiffres à faire rendez-vous paramètres nom logo couleur réglages',
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
    comptabilite: 'export fec das2 tva facture comptable écritures',
    journal: 'audit trace qui a fait export',
    'messages-envoyes': 'mail e-mail courriel',
    'etat-du-systeme': 'sauvegarde smtp serveur version alarme',
    integrations: 'api clé webhook connecter',
    profil: 'mot de passe changer e-mail téléphone iban double authentification sécurité déconnecter mes données',
  },
  commercial: {
    'parrainages-recus': 'relancer appeler contact ami importer export statut',
    'mes-clients': 'parrain inviter importer export',
    'contrats-d-affiliation': 'commission gagné en attente signé',
    profil: 'mot de passe changer e-mail téléphone iban double authentification sécurité déconnecter mes données',
    reseau: 'arbre qui parraine',
    'mon-compte': 'solde relevé commission payé iban export',
    documents: 'facture relevé pdf attestation export',
  },
  client: {
    'mes-parrainages': 'recommander inviter ami lien qr',
    'contrats-valides': 'signé export',
    'mes-commissions': 'gain solde argent relevé export',
    'demandes-de-paiement': 'payer virement iban chèque cadeau don remise argent',
    profil: 'mot de passe changer e-mail téléphone iban double authentification sécurité déconnecter mes données',
    reseau: 'arbre qui parraine',
    documents: 'facture relevé pdf attestation export',
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
