import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { clientImport } from './client-import.ts';
import { across, choice, id, optionalId, optionalLine, report } from './fields.ts';
import { importColumnsMax, missingColumns, type ImportColumns, type ImportFields } from './import-file.ts';
import { sourceLengthMax } from './limits.ts';
import { referralImport } from './referral-import.ts';

/** Kinds of records that the lines of a file may become (EX-04). */
export const importKinds = ['clients', 'referrals'] as const;
export type ImportKind = (typeof importKinds)[number];

export const importFieldsOf: Readonly<Record<ImportKind, ImportFields>> = {
  clients: clientImport,
  referrals: referralImport,
};

const fileRequired = 'Choisissez un fichier';
const columnsInvalid = 'Les colonnes indiquées ne sont pas valides';
const columnTwice = 'Deux colonnes ne peuvent pas être la même information';
const sourceRequired = 'Indiquez le logiciel d’où viennent ces références';

/** The payload of each action of imports: what its file becomes; clients, where nothing says it. */
export const importKindForm = z.pipe(
  z.object({ kind: z.optional(z.nullable(choice(importKinds, messages.inputInvalid))) }),
  z.transform((form): ImportKind => form.kind ?? 'clients'),
);

const importId = id(fileRequired, { failure: 'import_not_found' });

/** Fields of an import: its columns, the commercial of its clients, the software that its references come from. */
function choiceShape(kind: ImportKind) {
  const definition = importFieldsOf[kind];
  return {
    import_id: importId,
    columns: z.array(choice([...definition.fields, ''], columnsInvalid), { error: columnsInvalid }).check(
      z.maxLength(importColumnsMax, columnsInvalid),
      z.check((payload) => {
        const used = payload.value.filter((field) => field !== '');
        const wrong = new Set(used).size === used.length ? missingColumns(definition, used) : columnTwice;
        if (wrong !== null) report(payload, wrong, []);
      }),
    ),
    commercial_id: optionalId(messages.commercialInvalid),
    source: optionalLine(sourceLengthMax),
  };
}

const named = across((form: { columns: unknown; source: unknown }, context) => {
  const isReferenced = Array.isArray(form.columns) && form.columns.includes('reference');
  if (isReferenced && form.source === null) report(context, sourceRequired, ['source']);
});

interface ImportChoice {
  readonly importId: string;
  readonly columns: ImportColumns;
  readonly commercialId: string | null;
  readonly source: string | null;
}

/** The payload of imports?action=check: what the columns are, whose clients become, and what the references are of. */
export function importCheckForm(kind: ImportKind) {
  return z.pipe(
    z.object(choiceShape(kind)).check(named),
    z.transform(({ import_id, columns, commercial_id, source }): ImportChoice => {
      return { importId: import_id, columns, commercialId: commercial_id, source };
    }),
  );
}

/** The payload of imports?action=confirm: the same, with how many lines were on screen, and whether clients are invited. */
export function importForm(kind: ImportKind) {
  return z.pipe(
    z
      .object({
        ...choiceShape(kind),
        invites: z.boolean({ error: messages.inputInvalid }),
        expected: z.int({ error: messages.seenRequired }),
      })
      .check(named),
    z.transform(
      ({
        import_id,
        columns,
        commercial_id,
        source,
        ...form
      }): ImportChoice & { readonly invites: boolean; readonly expected: number } => {
        return { importId: import_id, columns, commercialId: commercial_id, source, ...form };
      },
    ),
  );
}

/** The payload of imports?action=undo. */
export const importUndoForm = z.pipe(
  z.object({ import_id: importId }),
  z.transform((form) => ({ importId: form.import_id })),
);

/** Why an undoing left clients or referrals, as `private.undo_import` says it. */
export const importKeptLabels: Readonly<Record<ImportKind, Readonly<Record<string, string>>>> = {
  clients: {
    signed_in: 'connectés depuis',
    referral: 'avec un parrainage',
    money: 'avec de l’argent sur leur compte',
    changed: 'modifiés depuis',
  },
  referrals: { answered: 'dont le filleul a répondu', changed: 'suivis ou modifiés depuis' },
};
