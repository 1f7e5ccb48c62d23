import { expect, test } from 'vitest';
import * as messages from './messages.ts';

test('[E-01] the messages of the specification, to the letter', () => {
  expect([
    messages.signInFailed,
    messages.signUpFailed,
    messages.profileNotLoaded,
    messages.invitationFailed,
    messages.scaleCreationFailed,
    messages.updateFailed,
    messages.logoUploadFailed,
    messages.companyNameUpdateFailed,
    messages.saleValidationFailed('…'),
    messages.saleRefusalFailed('…'),
    messages.commissionCreationFailed('…'),
    messages.cleaningFailed('…'),
    messages.responseFailed(500, 'corps'),
    messages.saleStatusUpdateFailed,
    messages.clientAddFailed,
    messages.clientDeletionFailed,
    messages.clientCreationFailed,
    messages.friendInvitationFailed('raison'),
    messages.friendInvitationFailed(),
    messages.paymentRequestFailed('raison'),
  ]).toEqual([
    'Erreur de connexion',
    "Erreur lors de l'inscription",
    'Erreur: Profil non chargé',
    "Erreur lors de l'invitation",
    'Erreur lors de la création du barème',
    'Erreur lors de la mise à jour',
    "Erreur lors de l'upload du logo",
    'Erreur lors de la mise à jour du nom',
    'Erreur lors de la validation de la vente: …',
    'Erreur lors du refus de la vente: …',
    'Vente validée mais erreur lors de la création des commissions: …',
    'Erreur lors du nettoyage : …',
    'Erreur 500: corps',
    'Erreur lors de la mise à jour du statut',
    "Erreur lors de l'ajout du client",
    'Erreur lors de la suppression du client',
    'Erreur lors de la création du client',
    "Erreur lors de l'envoi de l'invitation: raison",
    "Erreur lors de l'envoi de l'invitation",
    'Erreur lors de la demande de paiement: raison',
  ]);
});

test('[E-02] an expired session, by role', () => {
  expect(messages.sessionExpired).toEqual({
    admin: 'Erreur: Session expirée, veuillez vous reconnecter',
    commercial: 'Session expirée, veuillez vous reconnecter',
    client: 'Votre session a expiré. Veuillez vous reconnecter.',
    // The specification has none for this role.
    comptable: 'Session expirée, veuillez vous reconnecter',
  });
});

test('[E-03][UI-07] where no e-mail left, one message passes on where to sign in, the login and the temporary password', () => {
  expect(messages.credentialsToPassOn('https://a.example/auth/login', 'ana@exemple.fr', 'secret').split('\n')).toEqual([
    'Pour vous connecter : https://a.example/auth/login',
    'E-mail de connexion : ana@exemple.fr',
    'Mot de passe temporaire : secret',
  ]);
  expect(new Set(Object.values(messages.invitationSent)).size).toBe(3);
});

test('[FX-65] only an e-mail that left is said to have left', () => {
  expect(messages.friendInvitedAs.sent).toBe(messages.friendInvited);
  for (const state of ['sending', 'not_sent'] as const) {
    expect(messages.friendInvitedAs[state]).not.toMatch(/va recevoir|avec succès/u);
    expect(messages.invitationSent[state]).not.toMatch(/a été envoyé/u);
  }
});

test('[E-04] the successes of the specification, to the letter', () => {
  expect([
    messages.accountCreated,
    messages.contractValidatedDetail,
    messages.contractRefusedDetail,
    messages.saleStatusUpdated,
    messages.friendInvited,
    messages.paymentRequestSent,
    messages.clientDeleted('Ana'),
  ]).toEqual([
    'Compte créé avec succès ! Vous pouvez maintenant vous connecter.',
    'Les commissions ont été créées et sont maintenant disponibles',
    'Aucune commission ne sera créée',
    'Statut mis à jour avec succès',
    'Invitation envoyée avec succès ! Votre ami va recevoir un email personnalisé et votre commercial pourra le recontacter.',
    'Demande de paiement envoyée avec succès !',
    'Client Ana supprimé avec succès !',
  ]);
});
