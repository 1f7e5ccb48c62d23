import { expect, test } from 'vitest';

import { mailFailureReason } from './mail-failure.ts';

test.each([
  ['550 5.1.1', 'L’adresse du destinataire n’existe pas ou n’accepte pas ce message'],
  ['550', 'L’adresse du destinataire n’existe pas ou n’accepte pas ce message'],
  ['552 5.2.2', 'La boîte du destinataire est pleine'],
  ['550 5.7.1', 'Le serveur du destinataire a refusé le message (filtre anti-spam ou règle d’envoi)'],
  ['553 5.1.8', 'L’adresse d’envoi est refusée'],
  ['535 5.7.8', 'Le serveur d’e-mail refuse l’identifiant ou le mot de passe d’envoi'],
  ['EAUTH', 'Le serveur d’e-mail refuse l’identifiant ou le mot de passe d’envoi'],
  ['451 4.7.1', 'Refus provisoire du serveur d’e-mail'],
  ['ECONNREFUSED', 'Le serveur d’e-mail ne répond pas'],
  ['500', 'Le serveur d’e-mail a refusé le message'],
  [null, 'Raison inconnue'],
])('[FX-29] %s is said as « %s »', (code, sentence) => {
  expect(mailFailureReason(code)).toBe(sentence);
});
