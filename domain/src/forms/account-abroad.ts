import type { AccountAbroad } from '../payment-request.ts';
import { isOutsideEea } from '../eea.ts';
import { parseBic } from '../iban.ts';
import { sepaText } from '../sepa.ts';
import { optionalLine, report } from './fields.ts';

/** Fields that banks ask of an account outside the European Economic Area (AC-09), as a form writes it. */
export const abroadFields = {
  bic: optionalLine(),
  street: optionalLine(),
  postal_code: optionalLine(),
  city: optionalLine(),
  country: optionalLine(),
};

interface RawAbroad {
  readonly iban: unknown;
  readonly bic: unknown;
  readonly street: unknown;
  readonly postal_code: unknown;
  readonly city: unknown;
  readonly country: unknown;
}

/** Longest texts of a postal address in an order. */
const lengths = { street: 70, postal_code: 16, city: 35 } as const;
const required = {
  bic: 'Indiquez le BIC : hors de l’Espace économique européen, la banque le demande.',
  street: 'Indiquez le numéro et la rue du titulaire.',
  postal_code: 'Indiquez le code postal.',
  city: 'Indiquez la ville.',
  country: 'Choisissez le pays.',
} as const;

/** Reports what lacks of an account outside the European Economic Area, or what no bank would take; nothing of another account. */
export function checkAbroad(form: RawAbroad, context: Parameters<typeof report>[0]): void {
  if (typeof form.iban !== 'string' || !isOutsideEea(form.iban)) return;
  for (const field of ['bic', 'street', 'postal_code', 'city', 'country'] as const) {
    const value = form[field];
    if (value === null) report(context, required[field], [field]);
    else if (typeof value === 'string') {
      const wrong = wrongIn(field, value);
      if (wrong !== null) report(context, wrong, [field]);
    }
  }
}

function wrongIn(field: keyof typeof required, value: string): string | null {
  if (field === 'bic') return parseBic(value) === null ? bicInvalid : null;
  if (field === 'country') return /^[A-Z]{2}$/u.test(value) ? null : required.country;
  if (value.length > lengths[field]) return `${lengths[field]} caractères au plus.`;
  return sepaText(value, lengths[field]) === '' ? 'Écrivez-le en lettres latines.' : null;
}

export const bicInvalid = 'Ce BIC n’est pas valide : 8 ou 11 caractères.';

interface CheckedAbroad {
  readonly iban: string;
  readonly bic: string | null;
  readonly street: string | null;
  readonly postal_code: string | null;
  readonly city: string | null;
  readonly country: string | null;
}

/** The same, once checked; undefined within the European Economic Area. */
export function abroadOf(form: CheckedAbroad): AccountAbroad | undefined {
  if (!isOutsideEea(form.iban)) return undefined;
  return {
    bic: parseBic(form.bic ?? '') ?? '',
    street: form.street ?? '',
    postalCode: form.postal_code ?? '',
    city: form.city ?? '',
    country: form.country ?? '',
  };
}
