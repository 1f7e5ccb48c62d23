import type { ContactChannel } from '../call-consent.ts';
import { phoneKind } from '../phone.ts';

const incomplete =
  'Ce numéro est incomplet ou n’existe pas. Donnez tous ses chiffres. Exemples : 06 12 34 56 78, +32 470 12 34 56';
const noSms =
  'Un téléphone fixe ne reçoit pas de SMS : donnez un numéro de portable (06 ou 07), ou choisissez « Appel »';

/** Error in the telephone number that a friend leaves to be reached by; null where there is none (UI-03). */
export function ownPhoneError(phone: string, channel: ContactChannel): string | null {
  const kind = phoneKind(phone);
  if (kind === null) return incomplete;
  return channel === 'sms' && kind === 'fixed' ? noSms : null;
}
