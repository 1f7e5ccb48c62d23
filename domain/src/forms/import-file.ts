import { withoutAccents } from '../without-accents.ts';
import { nameLengthMax } from './limits.ts';

// EX-04: what every file of lines has, whatever its lines become.

/** Lines of one file at most: what one commercial looks after is less. */
export const importLinesMax = { admin: 20_000, commercial: 2_000 } as const;
export const importColumnsMax = 60;
/** Characters kept of a cell: more than any field takes, so that a value over its limit is still refused as such. */
export const importCellLengthMax = 2_100;

/** A line of a file: its number there, and its cells. */
export interface ImportLine {
  readonly number: number;
  readonly cells: readonly string[];
}

/** Each column's field; an empty one is not imported. */
export type ImportColumns = readonly string[];

/** Fields that the columns of one kind of file may hold, in the order in which a person thinks of them. */
export interface ImportFields<Field extends string = string> {
  readonly fields: readonly Field[];
  readonly labels: Readonly<Record<Field, string>>;
  /** Titles as people write them, plain. */
  readonly titles: Readonly<Record<Field, readonly string[]>>;
  /** Of each group one column must be there, as a sentence says it. */
  readonly needs: readonly { readonly oneOf: readonly Field[]; readonly label: string }[];
}

/** Usual titles of the columns of a person; a kind of file adds titles that name its people. */
export const personTitles = {
  name: [
    'nom',
    'nom complet',
    'nom de famille',
    'nom et prenom',
    'nom prenom',
    'prenom nom',
    'name',
    'full name',
    'last name',
    'lastname',
    'surname',
  ],
  first_name: ['prenom', 'first name', 'firstname', 'given name'],
  email: [
    'e mail',
    'email',
    'mail',
    'courriel',
    'adresse e mail',
    'adresse email',
    'adresse mail',
    'adresse electronique',
    'email address',
    'e mail address',
  ],
  phone: [
    'telephone',
    'tel',
    'mobile',
    'portable',
    'gsm',
    'telephone portable',
    'telephone mobile',
    'tel portable',
    'numero de telephone',
    'phone',
    'phone number',
    'mobile phone',
  ],
  notes: [
    'notes',
    'note',
    'commentaire',
    'commentaires',
    'remarque',
    'remarques',
    'observations',
    'comment',
    'comments',
  ],
} as const;

/** « Adresse E-mail : » and « adresse e mail » are one title. */
export function plainTitle(title: string): string {
  return withoutAccents(title.toLowerCase())
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .slice(0, nameLengthMax);
}

/** True when a title is a usual one for a field of this kind of file. */
export function isKnownTitle({ fields, titles }: ImportFields, title: string): boolean {
  const plain = plainTitle(title);
  return fields.some((field) => titles[field]?.includes(plain) === true);
}

/**
 * Suggests the field of each column: the one this person chose the last time, else the one that its title names, each field by the first of
 * its titles present. No field appears twice.
 */
export function suggestColumns<Field extends string>(
  { fields, titles: known }: ImportFields<Field>,
  titles: readonly string[],
  remembered: ReadonlyMap<string, string>,
  without: readonly Field[] = [],
): readonly (Field | '')[] {
  const left = new Set(fields.filter((field) => !without.includes(field)));
  const plain = titles.map(plainTitle);
  const columns = plain.map((title): Field | '' => {
    const field = fields.find((one) => one === remembered.get(title));
    return field !== undefined && left.delete(field) ? field : '';
  });
  const isFree = (place: number): boolean => columns[place] === '' && !remembered.has(plain[place] ?? '');
  for (const field of left) {
    const place = known[field]
      .map((title) => plain.findIndex((one, at) => one === title && isFree(at)))
      .find((at) => at >= 0);
    if (place !== undefined) columns[place] = field;
  }
  return columns;
}

/** Sentence naming the required fields that no column holds; null where all are there. */
export function missingColumns({ needs }: ImportFields, columns: ImportColumns): string | null {
  const missing = needs
    .filter(({ oneOf }) => !oneOf.some((field) => columns.includes(field)))
    .map(({ label }) => label);
  const [first, ...rest] = missing;
  if (first === undefined) return null;
  const others = rest.map((label, place) => `, ${place === rest.length - 1 ? 'et ' : ''}laquelle ${label}`);
  return `Indiquez quelle colonne contient ${first}${others.join('')}`;
}

/** Reads the cells of one line by their fields. */
export function cellsByField<Field extends string>(
  columns: ImportColumns,
  cells: readonly string[],
): (field: Field) => string {
  const given = new Map(columns.map((field, place) => [field, cells[place]?.trim() ?? '']));
  return (field) => given.get(field) ?? '';
}

/** A spreadsheet that took a number for a sum left out its first zero: « 612345678 ». */
export function withItsZero(phone: string): string {
  return /^[1-9]\d{8}$/u.test(phone) ? `0${phone}` : phone;
}

/** Error values of spreadsheets, in French, in English, in LibreOffice. */
const miscalculated =
  /^(?:#(?:N\/A|REF!|VALEUR!|VALUE!|NOM\?|NAME\?|DIV\/0!|NUL!|NULL!|NOMBRE!|NUM!|PROPAGATION!|SPILL!|CALC!|CALCUL!)|Err:\d{3})$/iu;

/** Problems that keep a line from being read at all, whatever its fields hold; null where there are none. */
export function lineObstacles<Field extends string>(
  columns: ImportColumns,
  cells: readonly string[],
  labels: Readonly<Record<Field, string>>,
): readonly string[] | null {
  const used = columns
    .map((field, place) => ({ field, cell: cells[place]?.trim() ?? '' }))
    .filter(({ field, cell }) => field !== '' && cell !== '');
  // The last line of our own workbooks, and of many others.
  if (used.length === 1 && /^total(?: général)?\s*:?$/iu.test(used[0]?.cell ?? '')) return ['Ligne de total'];
  const wrong = used.filter(({ cell }) => miscalculated.test(cell));
  if (wrong.length === 0) return null;
  return wrong.map(({ field, cell }) => `${labels[field as Field]} : « ${cell} » est une erreur de calcul du tableur`);
}
