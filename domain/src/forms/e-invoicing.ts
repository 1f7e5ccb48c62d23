import * as z from 'zod/mini';
import { isDay } from '../period.ts';
import { id, optionalLine, refuse, requiredLine } from './fields.ts';
import { webhookUrlLengthMax } from './limits.ts';

const addressLengthMax = 500;
const clientLengthMax = 200;
const secretLengthMax = 500;

/** An address of the platform, without a slash at its end. */
function address(missing: string) {
  return z.pipe(
    requiredLine(missing, webhookUrlLengthMax),
    z.transform((raw, context): string => {
      const url = addressOf(raw);
      if (url === null || !['https:', 'http:'].includes(url.protocol)) {
        return refuse(context, 'Indiquez une adresse complète, qui commence par https://.');
      }
      if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
        return refuse(context, 'Indiquez l’adresse seule, sans mot de passe ni paramètre.');
      }
      const written = url.href.replace(/\/+$/u, '').replace(/\/v1$/u, '');
      return written.length <= addressLengthMax ? written : refuse(context, 'Cette adresse est trop longue.');
    }),
  );
}

/** A plateforme agréée and the company's access to it, as the platform gave them (EI-01). */
export const eInvoicingForm = z.object({
  flow_url: address('Indiquez l’adresse du service des flux.'),
  directory_url: address('Indiquez l’adresse du service de l’annuaire.'),
  token_url: address('Indiquez l’adresse des jetons.'),
  client_id: requiredLine('Indiquez l’identifiant.', clientLengthMax),
  /** Left empty, the one that is kept stays. */
  client_secret: optionalLine(secretLengthMax),
});

const papersMax = 500;
const papers = z
  .array(id('Choisissez une facture.'), 'Choisissez une facture.')
  .check(z.minLength(1, 'Choisissez une facture.'), z.maxLength(papersMax, 'Choisissez moins de factures à la fois.'));

/** Invoices, by the ids of their papers. */
export const eInvoicesForm = z.object({ paper_ids: papers });

/** An admin says that invoices went another way, on this day. */
export const elsewhereForm = z.object({
  paper_ids: papers,
  day: z.string('Indiquez le jour du dépôt.').check(z.refine(isDay, 'Indiquez le jour du dépôt.')),
});

export const platformSecretMissing = 'Indiquez le secret.';

export const platformSirenMissing =
  'Donnez d’abord le SIREN de votre entreprise dans « Réglages des pièces » : l’essai le cherche dans l’annuaire.';
export const platformSirenUnknown =
  'La plateforme répond, mais son annuaire ne connaît pas le SIREN de votre entreprise.';

/** `URL.parse`, which browsers of the floor do not have. */
function addressOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
