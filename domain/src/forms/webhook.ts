import * as z from 'zod/mini';
import { webhookEvents, type WebhookEvent } from '../webhook.ts';
import { optionalLine, refuse, requiredLine } from './fields.ts';
import { webhookDescriptionLengthMax, webhookUrlLengthMax } from './limits.ts';

const events: ReadonlySet<unknown> = new Set(webhookEvents);
const isEvent = (value: unknown): value is WebhookEvent => events.has(value);

/** An address of other software, and the events that it is told of (WH-02). Where it may be is the server's to say. */
export const webhookForm = z.object({
  url: z.pipe(
    requiredLine('Indiquez l’adresse à prévenir.', webhookUrlLengthMax),
    z.transform((raw, context): string => {
      const url = addressOf(raw);
      if (url === null || !['https:', 'http:'].includes(url.protocol)) {
        return refuse(context, 'Indiquez une adresse complète, qui commence par https://.');
      }
      if (url.username !== '' || url.password !== '') {
        return refuse(context, 'Retirez le nom et le mot de passe de cette adresse.');
      }
      url.hash = '';
      return url.href.length <= webhookUrlLengthMax ? url.href : refuse(context, 'Cette adresse est trop longue.');
    }),
  ),
  description: optionalLine(webhookDescriptionLengthMax),
  events: z.pipe(
    z.array(z.unknown(), 'Choisissez au moins un événement.'),
    z.transform((raw, context): readonly WebhookEvent[] => {
      if (raw.length === 0) return refuse(context, 'Choisissez au moins un événement.');
      return raw.every(isEvent) ? [...new Set(raw)] : refuse(context, 'Un de ces événements n’existe pas.');
    }),
  ),
});

/** Said of an address that is not https where the installation is reached by others. */
export const webhookNotHttps = 'Indiquez une adresse qui commence par https:// : les données y voyagent chiffrées.';
/** Said of an address that is written as one of a private network. */
export const webhookPrivate = 'Cette adresse est celle d’un réseau privé : indiquez une adresse publique.';

/** `URL.parse`, which browsers of the floor do not have. */
function addressOf(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
