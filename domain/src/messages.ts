import { formatAmount, formatEuros, type Cents } from './money.ts';
import type { Role } from './role.ts';

// Interface messages, letter for letter as the specification writes them (section 8, E-01 to E-04).
// These texts are i18next keys too, so the French is the name of the message everywhere.

// Signing in and registering

export const signInFailed = 'Erreur de connexion';
export const signUpFailed = "Erreur lors de l'inscription";
export const accountCreated = 'Compte créé avec succès ! Vous pouvez maintenant vous connecter.';
export const emailTaken = 'Un compte existe déjà avec cet e-mail.';
export const accountDisabled = 'Ce compte est désactivé. Contactez votre entreprise.';
export const passwordsDiffer = 'Les mots de passe ne correspondent pas';

/** An expired session, as each role is told (E-02); a client is then sent to /auth/login. */
export const sessionExpired: Readonly<Record<Role, string>> = {
  admin: 'Erreur: Session expirée, veuillez vous reconnecter',
  commercial: 'Session expirée, veuillez vous reconnecter',
  client: 'Votre session a expiré. Veuillez vous reconnecter.',
  comptable: 'Session expirée, veuillez vous reconnecter',
};

export const profileNotLoaded = 'Erreur: Profil non chargé';

// Admin

export const invitationFailed = "Erreur lors de l'invitation";
export const scaleCreationFailed = 'Erreur lors de la création du barème';
export const scaleVersionFailed = 'La version n’a pas été publiée';
export const updateFailed = 'Erreur lors de la mise à jour';
export const logoUploadFailed = "Erreur lors de l'upload du logo";
export const companyNameUpdateFailed = 'Erreur lors de la mise à jour du nom';
export const saleValidationFailed = (reason: string): string => `Erreur lors de la validation de la vente: ${reason}`;
export const saleRefusalFailed = (reason: string): string => `Erreur lors du refus de la vente: ${reason}`;
/** Kept for callers of the source's two-step validation; here a validation and its commissions are one transaction (F-16). */
export const commissionCreationFailed = (reason: string): string =>
  `Vente validée mais erreur lors de la création des commissions: ${reason}`;
export const cleaningFailed = (reason: string): string => `Erreur lors du nettoyage : ${reason}`;

/** Delivery state of an invitation's e-mail: sent, possibly still on its way, or failed for good (FX-08). */
export type EmailState = 'sent' | 'sending' | 'not_sent';

/** A person was invited; the second sentence says whether the e-mail left (E-03, E-04). */
export const invitationSent: Readonly<Record<EmailState, string>> = {
  sent: 'Invitation envoyée avec succès ! Un e-mail d’invitation a été envoyé.',
  sending: 'Invitation créée avec succès ! L’e-mail est en cours d’envoi.',
  not_sent: 'Invitation créée avec succès ! L’e-mail n’a pas pu être envoyé : transmettez vous-même les identifiants.',
};
export const newPasswordGiven = 'Nouveau mot de passe temporaire créé';
export const scaleVersionPublished = 'Version publiée\u00a0: les contrats déjà validés ne changent pas.';
export const scaleCreated = 'Barème créé avec succès !';
export const firstScaleExists =
  'Un barème existe déjà : il a été créé dans une autre fenêtre, ou par quelqu’un d’autre.';
export const contractValidated = 'Contrat validé';
export const contractValidatedDetail = 'Les commissions ont été créées et sont maintenant disponibles';
export const contractRefused = 'Contrat refusé';
export const contractRefusedDetail = 'Aucune commission ne sera créée';
export const validationCancelled = 'Validation annulée';
/** LG-04: a correction in part leaves less than there was, and more than nothing. */
export function correctedAmountOutOfRange(left: Cents): string {
  return `Le nouveau montant du contrat doit être supérieur à zéro et inférieur à ${formatEuros(left)}, ce qu’il en reste.`;
}
export const contractReduced = 'Contrat réduit';
export const contractIncreased = 'Contrat augmenté';
export const correctionAsked = 'Correction demandée';
export const validationCancelledDetail = 'Une écriture inverse a été enregistrée, les commissions sont reprises';
export const requestApproved = 'Demande approuvée';
export const requestPaid = 'Demande marquée comme payée';
export const requestRejected = 'Demande refusée';
export const approvalAnnulled = 'Approbation annulée';
/** A change of a control that binds admins (DF-24). */
export function controlWaits(due: string): string {
  return `C’est demandé. Un autre administrateur le confirme sur sa vue d’ensemble, ou le changement s’applique le ${due}.`;
}
export const settingsSaved = 'Paramètres enregistrés';
export const archiveAsked = 'Archive demandée';
export const databaseCleaned = 'Données de test supprimées';

// Commercial

export const responseFailed = (status: number, body: string): string => `Erreur ${status}: ${body}`;
export const saleStatusUpdated = 'Statut mis à jour avec succès';
export const saleStatusUndone = 'Mise à jour annulée';
export const saleStatusUpdateFailed = 'Erreur lors de la mise à jour du statut';
export const followUpSaved = 'Suivi enregistré';
export const clientAddFailed = "Erreur lors de l'ajout du client";
export const clientCreationFailed = 'Erreur lors de la création du client';
export const clientDeletionFailed = 'Erreur lors de la suppression du client';
export const clientDeleted = (name: string): string => `Client ${name} supprimé avec succès !`;
/** The message to pass on by hand where no e-mail was accepted (E-03): where to sign in, the login, the temporary password (UI-07). */
export const credentialsToPassOn = (address: string, email: string, temporaryPassword: string): string =>
  `Pour vous connecter : ${address}\nE-mail de connexion : ${email}\nMot de passe temporaire : ${temporaryPassword}`;
export const invitationEmailSent = 'Un e-mail d’invitation a été envoyé.';
export const saleNotEditable = 'Validé - Non modifiable';
export const awaitingCompanyValidation = 'En attente validation société';

// Client

export const friendInvitationFailedDefault = "Erreur lors de l'envoi de l'invitation";
export const friendInvitationFailed = (reason?: string): string =>
  reason === undefined ? friendInvitationFailedDefault : `${friendInvitationFailedDefault}: ${reason}`;
export const friendInvited =
  'Invitation envoyée avec succès ! Votre ami va recevoir un email personnalisé et votre commercial pourra le recontacter.';
/** Outcomes of a friend's invitation, each true to the delivery state (FX-65); the first is the specification's. */
export const friendInvitedAs: Readonly<Record<EmailState, string>> = {
  sent: friendInvited,
  sending:
    'Invitation enregistrée ! L’e-mail n’est pas encore parti : il partira dès que possible, et votre commercial pourra recontacter votre ami.',
  not_sent: 'Invitation enregistrée ! L’e-mail n’a pas pu être envoyé ; votre commercial pourra recontacter votre ami.',
};
/** The same where no mail server is configured: nobody was to write to the friend (E-03). */
export const friendRecommended = 'Recommandation enregistrée ! Votre commercial pourra recontacter votre ami.';
/** Outcomes of the one message to a friend (CS-03), each true to the delivery state. */
export const friendWrittenAs: Readonly<Record<EmailState, string>> = {
  sent: 'Message envoyé',
  sending: 'Message enregistré : il n’est pas encore parti, et partira dès que possible.',
  not_sent: 'Message enregistré, mais l’e-mail a été refusé : l’administrateur le trouve parmi les e-mails envoyés.',
};
/** Shown where no mail server is configured: the commercial's own program sends the message. */
export const friendWrittenByHand = 'Message noté : envoyez-le depuis votre messagerie, qui s’ouvre.';
export const newsAsked = 'Votre demande est transmise à votre commercial';
export const paymentRequestFailed = (reason: string): string => `Erreur lors de la demande de paiement: ${reason}`;
export const paymentRequestSent = 'Demande de paiement envoyée avec succès !';
export const emailMissing = 'Email non renseigné';

// Empty lists

export const noContractToValidate = 'Aucun contrat à valider';
export const noPaymentRequest = 'Aucune demande de paiement';
export const noReferralReceived = 'Aucun parrainage reçu pour le moment';
export const noClientInvited = 'Aucun client invité pour le moment';
export const retry = 'Réessayer';

// Validation (section 5)

export const requiredFieldsMissing = 'Veuillez remplir tous les champs obligatoires';
export const clientCommissionNotPositive = 'Le montant de commission client doit être un nombre positif';
export const commercialCommissionNotPositive = 'Le montant de commission commercial doit être un nombre positif';
export const refusalReasonRequired = 'Veuillez indiquer la raison du refus';
export const cancellationReasonRequired = 'Veuillez indiquer la raison de l’annulation';
export const decisionRequired = 'Veuillez choisir de valider ou de refuser';
export const batchLineTwice = 'Une ligne figure deux fois dans cet envoi : indiquez un seul résultat pour chacune.';
export const logoTypeRefused = 'Type de fichier non autorisé. Utilisez JPG, PNG, WEBP ou SVG.';
export const logoTooLarge = 'Le fichier est trop volumineux. Maximum 5MB.';
export const contractDetailsRequired = 'Le montant et la description du contrat sont requis pour ce statut.';
export const saleNotSelected = 'Aucun parrainage sélectionné';
export const nameAndEmailRequired = "Le nom et l'email sont requis";
export const clientHasRevenue = 'Impossible de supprimer ce client car il a généré du CA.';
/** The bounds of a payment request (V-14); where less is available than the company's smallest request, that is said (PO-06). */
export const amountOutOfRange = (available: Cents, smallest: Cents = 100n): string => {
  const least = smallest % 100n === 0n ? formatAmount(smallest).slice(0, -3) : formatAmount(smallest);
  return smallest > 100n && available < smallest
    ? `Une demande est de ${least} € au moins, et ${formatAmount(available)} € sont disponibles.`
    : `Le montant doit être compris entre ${least}€ et ${formatAmount(available)}€`;
};

// Validation, where the specification leaves the words to us

export const inputInvalid = 'Certaines informations sont manquantes ou incorrectes.';
export const dateInvalid = 'Choisissez une date.';
export const nameRequired = 'Le nom est requis';
export const emailRequired = 'L’e-mail est requis';
export const emailInvalid = 'L’adresse e-mail n’est pas valide. Exemple : prenom.nom@exemple.fr';
export const passwordRequired = 'Le mot de passe est requis';
export const passwordTooShort = (lengthMin: number): string =>
  `Le mot de passe doit contenir au moins ${lengthMin} caractères`;
export const passwordTooLong = 'Le mot de passe est trop long';
export const passwordTooCommon = 'Ce mot de passe est trop facile à deviner : choisissez-en un autre';
export const emailOrPhoneRequired = 'Donnez un e-mail ou un numéro de téléphone : l’un des deux suffit';
export const phoneToBeCalled = 'Pour être appelé, donnez un numéro de téléphone';
export const phoneInvalid = 'Le numéro de téléphone n’est pas valide. Exemple : 06 12 34 56 78';
export const textTooLong = (lengthMax: number): string => `${lengthMax} caractères au maximum`;
export const textInvalid = 'Ce texte contient des caractères non autorisés';
export const nameWithText = 'Écrivez un nom seul : ni numéro de téléphone, ni phrase';
export const nameWithSite =
  'Un nom ne peut pas contenir l’adresse d’un site ou d’une boîte aux lettres : retirez-la, et laissez un espace après chaque point';
export const nameRefused =
  'Ce nom n’est pas accepté : 120 caractères au maximum, sur une ligne, sans adresse de site, numéro de téléphone ni phrase';
export const textRefused = 'Ce texte est trop long, ou contient des caractères non autorisés';
export const messageWithLink = 'Ce message ne peut pas contenir de lien : décrivez le site sans son adresse';
export const amountInvalid = 'Le montant doit être un nombre d’euros, avec deux décimales au plus';
export const percentTooPrecise = 'Un pourcentage a deux décimales au plus';
/** LG-03: days for which a commission is kept. */
export const holdDaysInvalid = 'Le délai est un nombre de jours, de 0 à 365';
/** SC-03: the contracts a scale is proposed for. */
export const scaleThresholdInvalid = 'Le seuil est un montant en euros au-dessus de zéro, avec deux décimales au plus';
export const percentTooHigh = 'Un pourcentage ne peut pas dépasser 100';
export const commissionTypeInvalid = 'Le type de commission doit être un pourcentage ou un montant fixe';
export const saleStatusRequired = 'Le statut est requis';
export const contractAmountNotPositive = 'Le montant du contrat doit être supérieur à 0';
export const seenVersionInvalid = 'La version affichée n’est pas valide';
/** A decision that does not say what was on screen (FX-11). */
export const recordChanged =
  'Quelqu’un d’autre a modifié cette fiche entre-temps. Rien n’est perdu : relisez les champs signalés.';
/** Under a field that somebody else changed while it was edited (DF-34); null is a value without words. */
export function changedMeanwhile(now: string | null): string {
  const is =
    now === null ? 'Modifié entre-temps.' : now === '' ? 'Vidé entre-temps.' : `Modifié entre-temps : « ${now} ».`;
  return `${is} Enregistrez à nouveau pour garder votre saisie.`;
}
export const seenRequired =
  'Cette décision ne dit pas ce qui était affiché à l’écran. Relisez la vente ou la demande, puis décidez à nouveau.';
export const companyNameRequired = 'Le nom de l’entreprise est requis';
export const brandColorInvalid = 'Une couleur s’écrit # suivi de six chiffres ou lettres de a à f';
export const paymentMethodRequired = 'Le mode de paiement est requis';
export const ibanRequired = 'L’IBAN est requis';
export const ibanInvalid = 'L’IBAN n’est pas valide. Exemple : FR76 3000 6000 0112 3456 7890 189';
export const beneficiaryNameRequired = 'Le nom du bénéficiaire est requis';
export const giftCardTypeRequired = 'Le type de chèque cadeau est requis';
export const associationNameRequired = 'Le nom de l’association est requis';
export const associationDetailsRequired = 'Les coordonnées de l’association sont requises';
export const requestNotSelected = 'Aucune demande sélectionnée';
export const personNotSelected = 'Aucune personne sélectionnée';
export const clientNotSelected = 'Aucun client sélectionné';
export const versionReasonRequired = 'Dites pourquoi ce contrat prend une autre version du barème';
export const scaleInvalid = 'Le barème choisi n’est pas valide';
export const clientAssigned = 'Client confié';
export const commercialAsked = 'L’entreprise est prévenue : elle vous attribuera un commercial.';
export const commercialInvalid = 'Le commercial choisi n’est pas valide';
export const payeeIsCompany = 'Ce SIREN est celui de l’entreprise.';
export const payeeDetailsSaved = 'Informations légales enregistrées';
export const mandateAccepted = 'Mandat accepté';
export const mandateRevoked = 'Mandat révoqué';
export const vatAccepted = 'TVA acceptée : ce qui sera demandé la portera en plus';
