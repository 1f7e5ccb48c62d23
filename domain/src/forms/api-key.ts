import * as z from 'zod/mini';
import { apiKeyEndIsOver, apiKeyNameLengthMax, apiKeyScopes } from '../api-key.ts';
import { isDay } from '../period.ts';
import { id, optionalLine, refuse, requiredLine } from './fields.ts';

const scopeUnknown = `Les droits sont ${apiKeyScopes.map((scope) => `« ${scope} »`).join(', ')}.`;

const scopes = z
  .array(z.enum(apiKeyScopes, scopeUnknown), { error: 'Choisissez au moins un droit.' })
  .check(z.minLength(1, 'Choisissez au moins un droit.'));

/** A day as an input of type date holds it; null where empty. */
const optionalDay = z.pipe(
  optionalLine(),
  z.transform((day, context) => (day === null || isDay(day) ? day : refuse(context, apiKeyEndIsOver))),
);

/** WH-01: a new key: whom it is for, what it may do, and its last day. */
export const apiKeyForm = z.object({
  name: requiredLine('Donnez un nom à cette clé : le logiciel qui s’en servira.', apiKeyNameLengthMax),
  scopes,
  expires_on: optionalDay,
});

export const apiKeyRevocationForm = z.object({ key_id: id('Choisissez une clé.', { failure: 'api_key_not_found' }) });
