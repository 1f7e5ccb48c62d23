import * as messages from '../messages.ts';
import { clientInvitationForm, type ClientInvitation } from './client-invitation.ts';
import {
  cellsByField,
  lineObstacles,
  personTitles,
  withItsZero,
  type ImportColumns,
  type ImportFields,
} from './import-file.ts';
import { parseForm } from './parse-form.ts';

// EX-04: clients come in from a file. A column of the file is one field of the client, or is left aside.

export type ClientImportField = 'name' | 'first_name' | 'email' | 'phone' | 'company' | 'notes' | 'commercial';

/** Our own export of « Clients » is among the known titles. */
export const clientImport: ImportFields<ClientImportField> = {
  fields: ['name', 'first_name', 'email', 'phone', 'company', 'notes', 'commercial'],
  labels: {
    name: 'Nom, ou nom complet',
    first_name: 'Prénom',
    email: 'E-mail',
    phone: 'Téléphone',
    company: 'Entreprise',
    notes: 'Notes',
    commercial: 'Commercial',
  },
  titles: {
    name: [...personTitles.name, 'client'],
    first_name: personTitles.first_name,
    email: personTitles.email,
    phone: personTitles.phone,
    company: ['entreprise', 'societe', 'raison sociale', 'company', 'company name', 'organisation', 'organization'],
    notes: personTitles.notes,
    commercial: [
      'commercial',
      'e mail du commercial',
      'email du commercial',
      'email commercial',
      'conseiller',
      'charge de clientele',
      'sales rep',
      'owner',
    ],
  },
  needs: [
    { oneOf: ['name'], label: 'le nom' },
    { oneOf: ['email'], label: 'l’e-mail' },
  ],
};

/** Client read from one line, or the problems of that line. */
export type ReadClient =
  | { readonly ok: true; readonly client: Omit<ClientInvitation, 'commercialId'>; readonly commercial: string | null }
  | { readonly ok: false; readonly problems: readonly string[] };

/** One line by the rules of « Ajouter un client » (V-11). */
export function readClientLine(cells: readonly string[], columns: ImportColumns): ReadClient {
  const obstacles = lineObstacles(columns, cells, shortLabels);
  if (obstacles !== null) return { ok: false, problems: obstacles };
  const of = cellsByField<ClientImportField>(columns, cells);
  const read = parseForm(clientInvitationForm, {
    name: [of('first_name'), of('name')].filter((part) => part !== '').join(' '),
    email: of('email'),
    phone: withItsZero(of('phone')),
    company: of('company'),
    notes: of('notes'),
    commercial_id: null,
  });
  if (read.ok) {
    const { commercialId: _, ...client } = read.value;
    return { ok: true, client, commercial: of('commercial') || null };
  }
  const problems = read.issues.map(({ path, message }) => {
    const field = clientImport.fields.find((one) => one === path[0]);
    // The form asks for name and e-mail in one sentence; here it is said which of them is missing.
    if (message === messages.nameAndEmailRequired) return field === 'email' ? 'E-mail manquant' : 'Nom manquant';
    return field === undefined ? message : `${shortLabels[field]} : ${message}`;
  });
  return { ok: false, problems };
}

const shortLabels: Readonly<Record<ClientImportField, string>> = { ...clientImport.labels, name: 'Nom' };
