import * as z from 'zod/mini';
import {
  across,
  optionalEmail,
  optionalLine,
  optionalPhone,
  optionalText,
  personName,
  report,
  requiredLine,
} from './fields.ts';
import {
  cellsByField,
  lineObstacles,
  personTitles,
  withItsZero,
  type ImportColumns,
  type ImportFields,
} from './import-file.ts';
import { referenceLengthMax } from './limits.ts';
import { parseForm } from './parse-form.ts';

// EX-04: referrals come in from a file: friends whom clients named elsewhere.

export type ReferralImportField =
  | 'name'
  | 'first_name'
  | 'email'
  | 'phone'
  | 'referrer'
  | 'note'
  | 'reference'
  | 'call_agreement';

/** Our own export of « Ventes » is among the known titles. */
export const referralImport: ImportFields<ReferralImportField> = {
  fields: ['name', 'first_name', 'email', 'phone', 'referrer', 'note', 'reference', 'call_agreement'],
  labels: {
    name: 'Nom, ou nom complet',
    first_name: 'Prénom',
    email: 'E-mail',
    phone: 'Téléphone',
    referrer: 'Parrain : e-mail ou identifiant',
    note: 'Note',
    reference: 'Référence dans un autre logiciel',
    call_agreement: 'Accord pour être appelé',
  },
  titles: {
    name: [...personTitles.name, 'nom du filleul', 'filleul', 'ami', 'contact', 'prospect', 'client'],
    first_name: [...personTitles.first_name, 'prenom du filleul'],
    email: [...personTitles.email, 'e mail du filleul', 'email du filleul', 'e mail du contact'],
    phone: [...personTitles.phone, 'telephone du filleul', 'telephone du contact'],
    referrer: [
      'e mail du parrain',
      'email du parrain',
      'courriel du parrain',
      'identifiant du parrain',
      'parrain e mail',
      'parrain email',
      'parrain',
      'recommande par',
      'client',
      'e mail du client',
      'email du client',
      'identifiant du client',
      'referrer',
      'referrer email',
    ],
    note: personTitles.notes,
    reference: ['reference', 'ref', 'reference externe', 'identifiant externe', 'external id', 'external reference'],
    call_agreement: ['accord pour etre appele', 'd accord pour etre appele', 'accord', 'consentement', 'opt in'],
  },
  needs: [
    { oneOf: ['name'], label: 'le nom' },
    { oneOf: ['email', 'phone'], label: 'l’e-mail ou le téléphone' },
    { oneOf: ['referrer'], label: 'le parrain' },
  ],
};

/** A friend whom a file names. */
export interface ImportedReferral {
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** The client's address or id, as the file has it. */
  readonly referrer: string;
  readonly note: string | null;
  readonly reference: string | null;
  readonly refusesCalls: boolean;
}

export type ReadReferral =
  | { readonly ok: true; readonly referral: ImportedReferral }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The rules of a single referral (V-12, WH-03). */
const lineForm = z
  .object({
    name: personName('Nom manquant'),
    email: optionalEmail(),
    phone: optionalPhone(),
    referrer: requiredLine('Parrain manquant : indiquez son e-mail ou son identifiant'),
    note: optionalText(),
    reference: optionalLine(referenceLengthMax),
    call_agreement: z.string(),
  })
  .check(
    across((form: { email: unknown; phone: unknown; call_agreement: string }, context) => {
      if (form.email === null && form.phone === null) report(context, 'E-mail ou téléphone manquant', ['contact']);
      if (answerOf(form.call_agreement) === undefined) {
        report(context, 'écrivez « oui » ou « non »', ['call_agreement']);
      }
    }),
  );

/** One line. A file’s « oui » is nobody’s own agreement and counts as no answer; its « non » is followed (CS-03). */
export function readReferralLine(cells: readonly string[], columns: ImportColumns): ReadReferral {
  const obstacles = lineObstacles(columns, cells, shortLabels);
  if (obstacles !== null) return { ok: false, problems: obstacles };
  const of = cellsByField<ReferralImportField>(columns, cells);
  const read = parseForm(lineForm, {
    name: [of('first_name'), of('name')].filter((part) => part !== '').join(' '),
    email: of('email'),
    phone: withItsZero(of('phone')),
    referrer: of('referrer'),
    note: of('note'),
    reference: of('reference'),
    call_agreement: of('call_agreement'),
  });
  if (read.ok) {
    const { call_agreement: agreement, ...referral } = read.value;
    return { ok: true, referral: { ...referral, refusesCalls: answerOf(agreement) === false } };
  }
  const problems = read.issues.map(({ path, message }) => {
    const field = referralImport.fields.find((one) => one === path[0]);
    return field === undefined || message.includes('manquant') ? message : `${shortLabels[field]} : ${message}`;
  });
  return { ok: false, problems };
}

const shortLabels: Readonly<Record<ReferralImportField, string>> = {
  name: 'Nom',
  first_name: 'Prénom',
  email: 'E-mail',
  phone: 'Téléphone',
  referrer: 'Parrain',
  note: 'Note',
  reference: 'Référence',
  call_agreement: 'Accord pour être appelé',
};

/** Null where nothing was said, undefined where it is no answer. */
function answerOf(cell: string): boolean | null | undefined {
  const word = cell.trim().toLowerCase();
  if (word === '') return null;
  if (['oui', 'o', 'vrai', 'yes', 'true', '1'].includes(word)) return true;
  return ['non', 'n', 'faux', 'no', 'false', '0'].includes(word) ? false : undefined;
}

/** Statement kept of a friend’s refusal that a file reports (CS-03): it names the file as the source, and quotes no words of theirs. */
export const callRefusalOfFile = 'Repris d’un fichier de l’entreprise : cette personne ne veut pas être appelée.';
