import { csvText } from '@parrain/domain/csv';
import { Failure } from '@parrain/domain/failure';
import {
  importCheckForm,
  importFieldsOf,
  importForm,
  importKindForm,
  importUndoForm,
} from '@parrain/domain/forms/import';
import type { ImportKind } from '@parrain/domain/forms/import';
import { importLinesMax, isKnownTitle, plainTitle, suggestColumns } from '@parrain/domain/forms/import-file';
import type { ImportColumns, ImportLine } from '@parrain/domain/forms/import-file';
import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { callRefusalOfFile } from '@parrain/domain/forms/referral-import';
import { tableChoiceForm } from '@parrain/domain/forms/table-choice';

import type { Transaction } from '#platform/database';
import { readFileAside } from '#platform/tables/read-thread';
import { titled } from '#platform/tables/titled';
import { uploadedFile } from '#storage';

import { answer } from '../call.ts';
import type { FunctionResponse, ProductFunction, UserCall } from '../call.ts';
import { checkClients } from './client-lines.ts';
import { startImportInvitations } from './invitations.ts';
import { checkReferrals } from './referral-lines.ts';

/** EX-04: clients or referrals come in from a file: read, looked at, confirmed, undone. */
export default {
  read: { callers: ['admin', 'commercial'], run: readFile },
  check: { callers: ['admin', 'commercial'], run: checkFile },
  refused: { callers: ['admin', 'commercial'], run: refusedLines },
  confirm: { callers: ['admin', 'commercial'], run: confirmImport },
  undo: { callers: ['admin', 'commercial'], run: undoImport },
  list: { method: 'GET', callers: ['admin', 'commercial'], run: listImports },
} satisfies ProductFunction;

/** 20 000 lines take some seconds; on a busy machine they must not be cut off for ever. */
const LONG = { statementTimeoutMs: 120_000 };
/** Lines that an answer shows: the file with all that are refused is a download. */
const SHOWN_MAX = 100;
/** Lines shown of those that are right. */
const PREVIEW = 5;
const FILE_NAME_MAX = 255;
/** Of a line that may be the titles. */
const HEAD_TEXT_LENGTH = 80;
/** Of a file as it was read: one of 5 MB may be packed. Less than the column takes, which counts spaces too. */
const CONTENT_BYTES_MAX = 12_000_000;

/** A commercial's clients are their own: no column says otherwise. */
const OF_ADMINS = ['commercial'];

type Staged = {
  readonly titles: readonly string[];
  readonly lines: readonly ImportLine[];
  /** Once they were written. */
  readonly done: { readonly written: number; readonly left_out: number } | null;
};

/** Reads a file as it is found to be or as the person says, and puts its lines aside; nothing else is written. */
async function readFile(call: UserCall): Promise<FunctionResponse> {
  if (!call.request.isMultipart()) throw new Failure('invalid_input');
  const { file, fields } = await uploadedFile(call.request, 'file').catch((error: unknown) => {
    throw error instanceof Failure && error.code === 'logo_too_large' ? new Failure('import_file_too_large') : error;
  });
  const kind = parsePayload(importKindForm, { kind: fields.get('kind') });
  const { header, choice } = parsePayload(tableChoiceForm, Object.fromEntries(fields));
  const isAdmin = call.role === 'admin';
  const linesMax = importLinesMax[isAdmin ? 'admin' : 'commercial'];
  // Counted before it is read: a file that cannot be read is a try like any other (DF-22).
  await call.db.queryAs(call.identity, { text: 'select private.count_file_read()', values: [] });
  const read = await readFileAside({ personId: call.userId, file, linesMax, choice, unknown: 'import_file_unknown' });
  const table = titled(read.lines, (title) => isKnownTitle(importFieldsOf[kind], title), header);
  const { titles, lines } = table;
  if (lines.length === 0) throw new Failure('import_empty');
  if (lines.length > linesMax) throw new Failure('import_too_long', { most: linesMax });
  const content = JSON.stringify([{ number: 0, cells: titles }, ...lines]);
  if (Buffer.byteLength(content) > CONTENT_BYTES_MAX) throw new Failure('import_file_too_large');
  const { id, remembered } = await call.db.transactionAs(
    call.identity,
    async (tx) => {
      const staged = await tx.query<{ id: string }>('select private.stage_import($1, $2, $3) as id', [
        kind,
        nameOf(fields.get('name')),
        content,
      ]);
      const known = await tx.query<{ title: string; field: string }>(
        'select title, field from private.remembered_columns($1)',
        [kind],
      );
      return { id: staged.rows[0]?.id, remembered: known.rows };
    },
    LONG,
  );
  const columns = suggestColumns(
    importFieldsOf[kind],
    titles,
    new Map(remembered.map(({ title, field }) => [title, field])),
    isAdmin ? [] : OF_ADMINS,
  );
  const samples = titles.map((_, place) =>
    lines
      .map(({ cells }) => cells[place] ?? '')
      .filter((cell) => cell !== '')
      .slice(0, 3),
  );
  const reading = { ...read.reading, header: table.header, head: table.head.map(headLine) };
  return answer({ success: true, data: { id, titles, columns, samples, lines: lines.length, reading } });
}

/** A line that may be the titles, as a person recognises it. */
function headLine({ number, cells }: ImportLine): { readonly line: number; readonly text: string } {
  const text = cells.filter((cell) => cell !== '').join(' · ');
  return { line: number, text: text.slice(0, HEAD_TEXT_LENGTH) };
}

/** A name as a line of text: what a computer calls a file may hold anything. */
function nameOf(given: string | undefined): string {
  const name = given?.replaceAll(/[\p{C}\u2028\u2029]/gu, '').trim() ?? '';
  return name === '' ? 'fichier' : name.slice(-FILE_NAME_MAX);
}

/** Import that a person defined: its kind, its columns, the commercial of its clients, and the software that its references come from. */
type Choice = {
  readonly kind: ImportKind;
  readonly importId: string;
  readonly columns: ImportColumns;
  readonly commercialId: string | null;
  readonly source: string | null;
};

/** The lines of one file, checked: each kind's own check, what is shown of a line, and the statement that writes them. */
async function checkLines(tx: Transaction, call: UserCall, choice: Choice, lines: readonly ImportLine[]) {
  const columns = choice.columns.map((field) => (call.role !== 'admin' && OF_ADMINS.includes(field) ? '' : field));
  switch (choice.kind) {
    case 'clients': {
      const { ready, refused } = await checkClients(tx, lines, columns);
      const commercialId = call.role === 'commercial' ? call.userId : choice.commercialId;
      return {
        columns,
        ready: ready.length,
        refused,
        preview: ready.slice(0, PREVIEW),
        write: (isInviting: boolean) => ({
          text: 'select private.import_clients($1, $2, $3, $4, $5) as written',
          values: [choice.importId, JSON.stringify(ready), commercialId, isInviting, refused.length],
        }),
      };
    }
    case 'referrals': {
      const asked = { lines, columns, source: choice.source, role: call.role };
      const { ready, refused, tooLate } = await checkReferrals(tx, call.services, asked);
      const toWire = ({ refusesCalls, ...one }: (typeof ready)[number]) => ({
        ...one,
        refuses_calls: refusesCalls,
        refusal: refusesCalls ? callRefusalOfFile : null,
      });
      return {
        columns,
        ready: ready.length,
        refused,
        preview: ready.slice(0, PREVIEW).map(({ line, name, email, phone, referrer }) => {
          return { line, name, email, phone, referrer };
        }),
        write: () => ({
          text: 'select private.import_referrals($1, $2, $3, $4, $5) as written',
          values: [
            choice.importId,
            JSON.stringify(ready.map(toWire)),
            choice.source ?? '',
            JSON.stringify(tooLate.map(({ referrer, email, phone }) => ({ referrer, email, phone }))),
            refused.length,
          ],
        }),
      };
    }
  }
}

/** Previews the import of the file; nothing is written. */
async function checkFile(call: UserCall): Promise<FunctionResponse> {
  const choice = checkChoice(call);
  const { ready, refused, preview } = await call.db.transactionAs(
    call.identity,
    async (tx) => {
      const { lines, done } = await stagedLines(tx, choice);
      if (done !== null) throw new Failure('import_not_found');
      return checkLines(tx, call, choice, lines);
    },
    LONG,
  );
  return answer({
    success: true,
    data: { ready, refused: refused.length, preview, problems: refused.slice(0, SHOWN_MAX) },
  });
}

/** The refused lines as a CSV of the file's own columns, with what is wrong: put right there, it is imported next. */
async function refusedLines(call: UserCall): Promise<FunctionResponse> {
  const choice = checkChoice(call);
  const content = await call.db.transactionAs(
    call.identity,
    async (tx) => {
      const { titles, lines, done } = await stagedLines(tx, choice);
      if (done !== null) throw new Failure('import_not_found');
      const { refused } = await checkLines(tx, call, choice, lines);
      const cellsOf = new Map(lines.map(({ number, cells }) => [number, cells]));
      const row = (cells: readonly string[], problems: string, line: string): string =>
        [...titles.map((_, place) => cells[place] ?? ''), problems, line].map(csvText).join(';');
      return [
        row(titles, 'À corriger', 'Ligne'),
        ...refused.map(({ line, problems }) => row(cellsOf.get(line) ?? [], problems.join(', '), String(line))),
        '',
      ].join('\r\n');
    },
    LONG,
  );
  return answer({ success: true, data: { name: 'lignes-a-corriger.csv', content: `\uFEFF${content}` } });
}

function checkChoice(call: UserCall): Choice {
  const kind = parsePayload(importKindForm, call.body ?? {});
  return { kind, ...parsePayload(importCheckForm(kind), call.body ?? {}) };
}

/**
 * Writes all lines that are right, in one transaction, or none. What was on screen must still be so. Said again, also after a
 * crash, it is the same import with the same answer.
 */
async function confirmImport(call: UserCall): Promise<FunctionResponse> {
  const kind = parsePayload(importKindForm, call.body ?? {});
  const { invites, expected, ...asked } = parsePayload(importForm(kind), call.body ?? {});
  const choice = { kind, ...asked };
  const { services } = call;
  const isInviting = kind === 'clients' && invites && services.mail.isConfigured;
  const done = await call.db.transactionAs(
    call.identity,
    async (tx) => {
      const { titles, lines, done: before } = await stagedLines(tx, choice);
      if (before !== null) return before;
      const { columns, ready, refused, write } = await checkLines(tx, call, choice, lines);
      if (ready !== expected) throw new Failure('import_changed');
      const { rows } = await tx.query<{ written: number }>(write(isInviting));
      const known = await tx.query<{ title: string }>('select title from private.remembered_columns($1)', [kind]);
      const said = saidOf(kind, titles, columns, new Set(known.rows.map(({ title }) => title)));
      await tx.query('select private.remember_columns($1, $2)', [kind, JSON.stringify(said)]);
      if (isInviting) await startImportInvitations(tx, services);
      return { written: rows[0]?.written ?? 0, left_out: refused.length };
    },
    LONG,
  );
  return answer({ success: true, data: { id: choice.importId, ...done } });
}

/** Takes the clients back part by part, each a statement with a limit of its own, in one transaction. */
async function undoImport(call: UserCall): Promise<FunctionResponse> {
  const { importId } = parsePayload(importUndoForm, call.body ?? {});
  const data = await call.db.transactionAs(
    call.identity,
    async (tx) => {
      let removed = 0;
      let after: string | null = null;
      for (;;) {
        const part: UndonePart | undefined = (
          await tx.query<UndonePart>('select removed, kept, looked_at from private.undo_import($1, $2)', [
            importId,
            after,
          ])
        ).rows[0];
        if (part === undefined) throw new Error('private.undo_import answers one row');
        removed += part.removed;
        after = part.looked_at;
        if (after === null) return { removed, kept: part.kept };
      }
    },
    LONG,
  );
  return answer({ success: true, data });
}

type UndonePart = { readonly removed: number; readonly kept: number; readonly looked_at: string | null };

async function listImports(call: UserCall): Promise<FunctionResponse> {
  const { kind: asked } = call.request.query as { readonly kind?: unknown };
  const kind = parsePayload(importKindForm, { kind: asked });
  const { rows } = await call.db.queryAs(
    call.identity,
    {
      text: `select id, file_name, made_by_name, written_at, written, left_out, undone_at, removed, here, invitations_due,
          invitations_sent, kept from private.imports_done($1)`,
      values: [kind],
    },
    { readOnly: true },
  );
  return answer({ success: true, data: rows });
}

/** @throws Failure `import_not_found` where the file waits no more, or is to become something else */
async function stagedLines(tx: Transaction, { importId, kind }: Choice): Promise<Staged> {
  const { rows } = await tx.query<{
    kind: string;
    lines: ImportLine[] | null;
    written: number | null;
    left_out: number | null;
  }>('select kind, lines, written, left_out from private.staged_import($1)', [importId]);
  const [staged] = rows;
  if (staged === undefined || staged.kind !== kind) throw new Failure('import_not_found');
  const { lines, written, left_out } = staged;
  if (lines === null) return { titles: [], lines: [], done: { written: written ?? 0, left_out: left_out ?? 0 } };
  const [head, ...rest] = lines;
  return { titles: head?.cells ?? [], lines: rest, done: null };
}

/**
 * Columns to remember: those where the person's choice differs from what the titles of this file suggest, and those they had chosen before.
 */
function saidOf(
  kind: ImportKind,
  titles: readonly string[],
  columns: ImportColumns,
  remembered: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const found = suggestColumns(importFieldsOf[kind], titles, new Map());
  return Object.fromEntries(
    titles
      .map((title, place) => ({ title: plainTitle(title), field: columns[place] ?? '', found: found[place] }))
      .filter((one) => one.title !== '' && (one.field !== one.found || remembered.has(one.title)))
      .map(({ title, field }) => [title, field]),
  );
}
