import * as z from 'zod/mini';
import { euVatPrefix, hasEuVatNumbers, isMonaco, parseEuVatNumber, payeeCountries } from '../country.ts';
import {
  france,
  isAbroad,
  isBusiness,
  isNamedOnPapers,
  isPerson,
  missingMentions,
  payeeStatusesOf,
  registryOf,
  type CompanyIdentity,
  type Mention,
  type PayeeDetails,
} from '../payee.ts';
import { fromWire, toWire, type Cents } from '../money.ts';
import type { Role } from '../role.ts';
import { payeeIsCompany } from '../messages.ts';
import { parseMonacoVatNumber, parseRna, parseSiren, parseSiret, parseVatNumber } from '../siren.ts';
import { requiredCount } from './optional-count.ts';
import { choice, optionalLine, rawAmount, refuse, report, requiredLine } from './fields.ts';
import { addressLineLengthMax, legalFormLengthMax, nameLengthMax } from './limits.ts';

const sirenInvalid = 'Ce SIREN n’est pas valide : neuf chiffres, dont le dernier est une clé.';
const siretInvalid = 'Ce SIRET n’est pas celui de ce SIREN : ses neuf chiffres, puis cinq autres.';
const vatNumberInvalid = 'Ce numéro de TVA n’est pas celui de ce SIREN : FR, une clé de deux signes, puis le SIREN.';
const monacoVatNumberInvalid =
  'Ce numéro de TVA n’est pas celui d’une entreprise de Monaco : FR, une clé de deux signes, puis 000 et six chiffres.';
const capitalInvalid = 'Indiquez un capital en euros, par exemple 20 000.';
const postalCodeInvalid = 'Indiquez un code postal français : cinq chiffres.';

const postalCode = /^\d{5}$/u;

type Context = Parameters<typeof report>[0];

/** Above it a capital is a slip of the keyboard. */
const capitalMax = 99_999_999_999_999n;

/** « 20000 », « 20000.50 »: a capital as its field begins with it. */
export function capitalText(capital: Cents | null): string {
  return capital === null ? '' : toWire(capital).replace('.00', '');
}

/** The capital of a company, « 20 000 » or 20000.00; null where it is not said. */
function capitalOf(context: Context, raw: string | number | null | undefined): Cents | null {
  const text = String(raw ?? '')
    .replaceAll(/[\s€]/gu, '')
    .replace(',', '.');
  if (text === '') return null;
  const cents = /^\d{1,12}(?:\.\d{1,2})?$/u.test(text) ? fromWire(text) : 0n;
  if (cents <= 0n || cents > capitalMax) report(context, capitalInvalid, ['capital']);
  return cents;
}

/**
 * Legal details of a payee, as the screen and the wire write them (PP-01). Fields that the status does not ask for are left out.
 * `asksMentions`: who fills in their own is asked for all that the law wants on their papers (AC-07); an admin may not know it, and
 * details from before lack it. `companySiren`: nobody is paid under the company's own.
 */
export function payeeForm(role: Role, { asksMentions, companySiren = null }: PayeeFormRules = lenient) {
  return z.pipe(
    z.object({
      status: choice(payeeStatusesOf(role), 'Choisissez un statut.'),
      legal_name: optionalLine(nameLengthMax),
      first_name: optionalLine(nameLengthMax),
      last_name: optionalLine(nameLengthMax),
      street: optionalLine(addressLineLengthMax),
      postal_code: optionalLine(postalCodeLengthMax),
      city: optionalLine(nameLengthMax),
      country: optionalLine(2),
      number_abroad: optionalLine(40),
      siren: optionalLine(20),
      siret: optionalLine(30),
      rna: optionalLine(20),
      charges_vat: z.optional(z.nullable(z.boolean())),
      vat_number: optionalLine(30),
      legal_form: optionalLine(legalFormLengthMax),
      capital: rawAmount,
      registry_city: optionalLine(nameLengthMax),
    }),
    z.transform((form, context): PayeeDetails => {
      const { status } = form;
      const required = (value: string | null, field: string, message: string): string => {
        if (value === null) report(context, message, [field]);
        return value ?? '';
      };
      const country = form.country ?? france;
      if (!payeeCountries.includes(country)) report(context, 'Choisissez le pays.', ['country']);
      if (!isNamedOnPapers(status)) {
        if (isAbroad(country)) report(context, abroadStatusInvalid, ['status']);
        return { status, ...unnamed, ...unnumbered, address: null, country: france };
      }
      const names = isPerson(status)
        ? personNames(context, form)
        : { ...unnamed, legalName: required(form.legal_name, 'legal_name', 'Indiquez le nom légal.') };
      const address = {
        street: required(form.street, 'street', 'Indiquez le numéro et la rue.'),
        postalCode: form.postal_code ?? '',
        city: required(form.city, 'city', 'Indiquez la ville.'),
      };
      if (isAbroad(country)) {
        if (!payeeStatusesOf(role, country).includes(status)) report(context, abroadStatusInvalid, ['status']);
        if (address.postalCode === '') report(context, 'Indiquez le code postal.', ['postal_code']);
        const isFirm = isBusiness(status);
        const numberAbroad = isFirm ? checkedNumberAbroad(context, form.number_abroad, country) : null;
        const chargesVat = isFirm ? isMonaco(country) && form.charges_vat === true : null;
        const vatNumber = chargesVat === true ? checkedMonacoVatNumber(context, form.vat_number ?? '') : null;
        return { status, ...names, ...unnumbered, address, country, numberAbroad, chargesVat, vatNumber };
      }
      if (!postalCode.test(address.postalCode)) report(context, postalCodeInvalid, ['postal_code']);
      if (status === 'particulier') {
        return { status, ...names, ...unnumbered, address, country };
      }
      if (status === 'association' && form.siren === null && form.rna === null) {
        report(context, 'Indiquez le SIREN de l’association, ou son numéro au répertoire (RNA).', ['siren']);
      }
      const siren = form.siren === null ? null : parseSiren(form.siren);
      if (siren === null && (form.siren !== null || isBusiness(status))) report(context, sirenInvalid, ['siren']);
      if (siren !== null && siren === companySiren) report(context, payeeIsCompany, ['siren']);
      const siret = checkedSiret(context, form.siret, siren);
      const rna = status !== 'association' || form.rna === null ? null : parseRna(form.rna);
      if (status === 'association' && form.rna !== null && rna === null) {
        report(context, 'Ce numéro n’est pas valide : W suivi de neuf signes.', ['rna']);
      }
      const chargesVat = isBusiness(status) ? form.charges_vat === true : null;
      const vatNumber =
        chargesVat === true && siren !== null ? checkedVatNumber(context, form.vat_number ?? '', siren) : null;
      const isCompany = status === 'societe';
      const details = {
        status,
        ...names,
        address,
        country,
        numberAbroad: null,
        siren,
        siret,
        rna,
        chargesVat,
        vatNumber,
        legalForm: isCompany ? form.legal_form : null,
        capital: isCompany ? capitalOf(context, form.capital) : null,
        registryCity: isCompany || status === 'agent' ? form.registry_city : null,
      };
      if (asksMentions) askMentions(context, details);
      return details;
    }),
  );
}

export type PayeeFormInput = z.input<ReturnType<typeof payeeForm>>;

interface PayeeFormRules {
  readonly asksMentions: boolean;
  readonly companySiren?: string | null;
}

const lenient: PayeeFormRules = { asksMentions: false };

function askMentions(context: Context, details: PayeeDetails): void {
  const isAgent = details.status === 'agent';
  const asked: Readonly<Record<Mention, string>> = {
    siret: 'Indiquez le SIRET de votre établissement : vos pièces le portent.',
    legal_form: 'Indiquez la forme juridique : SARL, SAS…',
    capital: 'Indiquez le capital social.',
    registry_city: `Indiquez la ville du ${registryOf(details.status)} où ${isAgent ? 'vous êtes inscrit' : 'la société est inscrite'}.`,
  };
  for (const mention of missingMentions(details)) report(context, asked[mention], [mention]);
}

const unnamed = { legalName: null, firstName: null, lastName: null };
const unnumbered = {
  numberAbroad: null,
  siren: null,
  siret: null,
  rna: null,
  chargesVat: null,
  vatNumber: null,
  legalForm: null,
  capital: null,
  registryCity: null,
};

/** The name of a person in its two parts, which make the one on papers; or in one piece, from whoever says no parts. */
function personNames(
  context: Context,
  {
    first_name: firstName,
    last_name: lastName,
    legal_name: whole,
  }: Readonly<Record<'first_name' | 'last_name' | 'legal_name', string | null>>,
) {
  if (firstName === null && lastName === null && whole !== null) return { ...unnamed, legalName: whole };
  if (firstName === null) report(context, 'Indiquez le prénom.', ['first_name']);
  if (lastName === null) report(context, 'Indiquez le nom.', ['last_name']);
  const legalName = `${firstName ?? ''} ${lastName ?? ''}`;
  if (legalName.length > nameLengthMax) report(context, 'Ce nom est trop long.', ['last_name']);
  return { legalName, firstName, lastName };
}

/** The number of a business abroad (AC-08): in the European Union its VAT number, elsewhere one that its own country gave. */
function checkedNumberAbroad(context: Context, typed: string | null, country: string): string | null {
  if (!hasEuVatNumbers(country)) {
    if (typed === null) report(context, 'Indiquez le numéro d’immatriculation.', ['number_abroad']);
    if (typed !== null && typed.length > numberAbroadLengthMax) {
      report(context, `${numberAbroadLengthMax} signes au plus.`, ['number_abroad']);
    }
    return typed;
  }
  const number = parseEuVatNumber(typed ?? '', country);
  if (number === null) {
    const invalid = `Indiquez un numéro de TVA de ce pays : ${euVatPrefix(country)}, puis le numéro.`;
    report(context, invalid, ['number_abroad']);
  }
  return number;
}

const numberAbroadLengthMax = 30;
const postalCodeLengthMax = 16;
const abroadStatusInvalid = 'Hors de France, choisissez un autre statut : celui-ci n’existe qu’en France.';

function checkedSiret(context: Context, typed: string | null, siren: string | null): string | null {
  if (typed === null) return null;
  const siret = siren === null ? null : parseSiret(typed, siren);
  if (siret === null) report(context, siretInvalid, ['siret']);
  return siret;
}

function checkedVatNumber(context: Context, typed: string, siren: string): string | null {
  const number = parseVatNumber(typed, siren);
  if (number === null) report(context, vatNumberInvalid, ['vat_number']);
  return number;
}

function checkedMonacoVatNumber(context: Context, typed: string): string | null {
  const number = parseMonacoVatNumber(typed);
  if (number === null) report(context, monacoVatNumberInvalid, ['vat_number']);
  return number;
}

/** The company as papers name it, whether it has them made, and for how many days one may be contested (PP-02, PP-05). */
export type PaperRules = CompanyIdentity & {
  readonly issuesPapers: boolean;
  readonly contestDays: number;
  /** True of a company that recovers no VAT, with a VAT number or without one (AC-02). */
  readonly vatFranchise: boolean;
};

/** The same as it is said: a regime that is left out stays as it is. */
type SaidPaperRules = Omit<PaperRules, 'vatFranchise'> & { readonly vatFranchise: boolean | undefined };

export const contestDaysMax = 90;

/** The same, as the screen and the wire write it. */
export const companyIdentityForm = z.pipe(
  z.object({
    issues_papers: z.boolean({ error: 'Indiquez si les pièces sont établies.' }),
    legal_name: requiredLine('Indiquez le nom légal de l’entreprise.', nameLengthMax),
    street: requiredLine('Indiquez le numéro et la rue.', addressLineLengthMax),
    postal_code: z.pipe(
      requiredLine(postalCodeInvalid, 10),
      z.transform((value, context) => (postalCode.test(value) ? value : refuse(context, postalCodeInvalid))),
    ),
    city: requiredLine('Indiquez la ville.', nameLengthMax),
    siren: z.pipe(
      requiredLine(sirenInvalid, 20),
      z.transform((value, context) => parseSiren(value) ?? refuse(context, sirenInvalid)),
    ),
    siret: optionalLine(30),
    legal_form: optionalLine(legalFormLengthMax),
    capital: rawAmount,
    registry_city: optionalLine(nameLengthMax),
    vat_number: optionalLine(30),
    // A client from before does not say it: it stays as it is.
    vat_franchise: z.optional(z.boolean({ error: 'Dites si l’entreprise est en franchise en base de TVA.' })),
    contest_days: requiredCount(contestDaysMax, 'Indiquez un nombre de jours, de 1 à 90.'),
  }),
  z.transform((form, context): SaidPaperRules => ({
    siret: checkedSiret(context, form.siret, form.siren),
    legalForm: form.legal_form,
    capital: capitalOf(context, form.capital),
    registryCity: form.registry_city,
    issuesPapers: form.issues_papers,
    contestDays: form.contest_days,
    legalName: form.legal_name,
    address: { street: form.street, postalCode: form.postal_code, city: form.city },
    siren: form.siren,
    vatNumber: form.vat_number === null ? null : checkedVatNumber(context, form.vat_number, form.siren),
    vatFranchise: form.vat_franchise,
  })),
);
