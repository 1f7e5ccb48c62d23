import * as z from 'zod/mini';
import { optionalText, requiredText } from './fields.ts';

export const rulesLengthMax = 20_000;
export const rulesRequired = 'Écrivez les règles avant de les publier';
export const rulesDraftSaved = 'Brouillon enregistré';
export const rulesPublished = 'Règles publiées';
export const rulesAccepted = 'Règles acceptées';

const version = z.int({ error: 'Indiquez une version' });

/** Draft of the rules, not published yet; null drops it (CS-05). */
export const rulesDraftForm = z.object({ body: optionalText(rulesLengthMax) });

/** A text that becomes the next version, and the one that was seen in force: 0 where there was none (CS-05). */
export const rulesPublicationForm = z.pipe(
  z.object({ body: requiredText(rulesRequired, rulesLengthMax), seen_version: version }),
  z.transform((form) => ({ body: form.body, seenVersion: form.seen_version })),
);

/** The version that a client accepts (CS-05). */
export const rulesAcceptanceForm = z.object({ version });

/** The clients whose acceptances are looked for (CS-05). */
export const rulesAcceptancesForm = z.object({ search: optionalText(120) });
