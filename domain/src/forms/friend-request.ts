import * as z from 'zod/mini';
import { contactChannels } from '../call-consent.ts';
import type { ContactChannel } from '../call-consent.ts';
import { emailAddress } from '../email-address.ts';
import * as messages from '../messages.ts';
import { writtenPhone } from '../phone.ts';
import { isVisible } from '../visible-text.ts';
import { across, choice, optionalEmail, optionalMessage, optionalPhone, personName, refuse, report } from './fields.ts';
import { personalMessageLengthMax, phoneLengthMax } from './limits.ts';
import { ownPhoneError } from './own-phone.ts';

// Here and not among the messages, which every screen carries.
const nameWithoutLetter = 'Écrivez votre nom en lettres';
const contactRequired = 'Donnez votre téléphone ou votre e-mail';
const contactInvalid =
  'Donnez un numéro de téléphone ou une adresse e-mail. Exemples : 06 12 34 56 78, prenom.nom@exemple.fr';
const contactChannelRequired = 'Choisissez comment être recontacté : appel, SMS ou e-mail';
/** The contact given does not serve the way chosen to be reached. */
const contactMisfits = {
  call: 'Pour un appel, donnez un numéro de téléphone, ou choisissez « E-mail »',
  sms: 'Pour un SMS, donnez un numéro de téléphone, ou choisissez « E-mail »',
  email: 'Pour un e-mail, donnez une adresse e-mail, ou choisissez « Appel » ou « SMS »',
} as const;

/** Request that a friend sends from the public page of a personal link (CS-01). */
export type FriendRequest = {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly message: string | null;
  /** Channel that they chose to be reached by (UI-03). */
  readonly channel: ContactChannel;
};

type Contact = { readonly email: string | null; readonly phone: string | null };

/** A telephone number or an address, whichever was written. */
const contact = z.pipe(
  z.optional(z.nullable(z.string({ error: messages.textInvalid }))),
  z.transform((raw, context): Contact => {
    if (!raw || !isVisible(raw)) return refuse(context, contactRequired);
    // The sign as a keyboard of East Asia writes it too.
    if (/[@＠]/u.test(raw)) {
      return { email: emailAddress(raw) ?? refuse(context, messages.emailInvalid), phone: null };
    }
    const invalid = /\d/u.test(raw) ? messages.phoneInvalid : contactInvalid;
    return { email: null, phone: writtenPhone(raw, phoneLengthMax) ?? refuse(context, invalid) };
  }),
);

/** The page's form (UI-03): one contact, which must serve the way chosen to be reached. */
export const friendRequestForm = z.pipe(
  z
    .object({
      name: z.pipe(
        personName(messages.nameRequired),
        z.transform((name, context) => (/\p{L}/u.test(name) ? name : refuse(context, nameWithoutLetter))),
      ),
      channel: choice(contactChannels, contactChannelRequired),
      contact,
      message: optionalMessage(personalMessageLengthMax),
    })
    .check(
      across((form: { contact: unknown; channel: unknown }, context) => {
        const channel = contactChannels.find((word) => word === form.channel);
        if (channel === undefined || !isContact(form.contact)) return;
        const serves = channel === 'email' ? form.contact.email : form.contact.phone;
        if (serves === null) report(context, contactMisfits[channel], ['contact']);
        else if (channel !== 'email' && typeof serves === 'string') {
          const error = ownPhoneError(serves, channel);
          if (error !== null) report(context, error, ['contact']);
        }
      }),
    ),
  z.transform(({ name, channel, contact: { email, phone }, message }): FriendRequest => ({
    name,
    email,
    phone,
    message,
    channel,
  })),
);

/** A field that is not valid holds anything. */
function isContact(value: unknown): value is Contact {
  return value !== null && typeof value === 'object' && 'email' in value && 'phone' in value;
}

/**
 * The form that the page had before (CS-01), which may be open in a browser for hours after an upgrade. A box that is not ticked is not
 * sent. It goes with the release after.
 */
export const formerFriendRequestForm = z
  .object({
    name: personName(messages.nameRequired),
    email: optionalEmail(),
    phone: optionalPhone(),
    message: optionalMessage(personalMessageLengthMax),
    mayCall: z.pipe(
      z.optional(z.unknown()),
      z.transform((ticked) => ticked === 'oui'),
    ),
  })
  .check(
    across(({ email, phone, mayCall }, context) => {
      if (email === null && phone === null) report(context, messages.emailOrPhoneRequired, ['email']);
      else if (mayCall && phone === null) report(context, messages.phoneToBeCalled, ['phone']);
    }),
  );
export type FormerFriendRequest = z.output<typeof formerFriendRequestForm>;
