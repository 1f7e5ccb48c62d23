import { clientDeletionFailed, saleStatusUpdateFailed, signInFailed, signUpFailed } from '@parrain/domain/messages';
import { describe, expect, test } from 'vitest';
import { ApiError, apiErrorFrom, messageOf, reasonOf, responseMessageOf, unreachableError } from './api-error.ts';

const ours = apiErrorFrom(409, '{"error":"Ce client a une demande en cours.","code":"client_has_open_request"}');
const proxys = apiErrorFrom(502, '<html><body>502 Bad Gateway</body></html>');
const empty = apiErrorFrom(500, '');
const plain = apiErrorFrom(503, 'Maintenance jusqu’à 14 h.');
const rule = apiErrorFrom(
  409,
  '{"code":"PR001","message":"Ce contrat n’attend pas de validation.","details":"sale_not_ready"}',
);
const developers = apiErrorFrom(400, '{"code":"42703","message":"column sales.x does not exist"}');
const nothing = unreachableError();
const bug = new TypeError('x is undefined');

const again = 'Réessayez dans un instant.';
const noAnswer = 'Le serveur ne répond pas. Vérifiez votre connexion, puis réessayez.';

describe('what a failure says', () => {
  test.each([
    ['the server’s own text', ours, signInFailed, 'Ce client a une demande en cours.'],
    ['a text that is no JSON', plain, signInFailed, 'Maintenance jusqu’à 14 h.'],
    ['a rule raised by the REST layer', rule, signInFailed, 'Ce contrat n’attend pas de validation.'],
    ['no text: the catalogue’s, then what to do', empty, signUpFailed, `Erreur lors de l'inscription. ${again}`],
    ['a proxy’s page is no text', proxys, signInFailed, `Erreur de connexion. ${again}`],
    [
      'words for developers are no text',
      developers,
      'Erreur lors de la mise à jour',
      `Erreur lors de la mise à jour. ${again}`,
    ],
    ['no answer', nothing, signInFailed, `Erreur de connexion. ${noAnswer}`],
    [
      '« Réessayez. » is said once',
      nothing,
      'La demande n’a pas pu être envoyée. Réessayez.',
      `La demande n’a pas pu être envoyée. ${noAnswer}`,
    ],
    ['anything else', bug, clientDeletionFailed, `Erreur lors de la suppression du client. ${again}`],
  ])('[FX-63] %s', (_, error, catalogued, sentence) => {
    expect(messageOf(error, catalogued)).toBe(sentence);
  });

  test.each([
    ['the server’s own text', ours, 'Erreur 409: Ce client a une demande en cours.'],
    [
      'a field to be mended',
      new ApiError({
        status: 400,
        code: 'call_back_is_past',
        text: 'Trop tôt.',
        issues: [{ path: ['x'], message: 'Trop tôt.' }],
      }),
      'Trop tôt.',
    ],
    ['a text that is no JSON', plain, 'Erreur 503: Maintenance jusqu’à 14 h.'],
    ['no text', proxys, `Erreur lors de la mise à jour du statut. ${again}`],
    ['no answer', nothing, `Erreur lors de la mise à jour du statut. ${noAnswer}`],
    [
      '« success: false »',
      new ApiError({ status: 200, code: 'unexpected', text: 'Adresse refusée.' }),
      'Adresse refusée.',
    ],
    ['anything else', bug, `Erreur lors de la mise à jour du statut. ${again}`],
  ])(
    '[FX-63] « Erreur {status}: {body} » quotes the server’s text, or gives way to the catalogue: %s',
    (_, error, sentence) => {
      expect(responseMessageOf(error, saleStatusUpdateFailed)).toBe(sentence);
    },
  );

  test('[FX-63] after a title or a colon stands the text, else what to do', () => {
    expect([ours, empty, nothing, bug].map(reasonOf)).toEqual([ours.text, again, noAnswer, again]);
  });
});
