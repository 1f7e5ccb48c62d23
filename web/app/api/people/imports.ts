import type { ImportKind } from '@parrain/domain/forms/import';
import type { ImportColumns } from '@parrain/domain/forms/import-file';
import type { TableChoice, TableReading } from '@parrain/domain/table-file';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { refresh } from '../transport/refresh.ts';

/** A file as the server read it: its columns with what they seem to be, and some cells of each (EX-04). */
export interface ReadFile {
  id: string;
  name: string;
  titles: readonly string[];
  columns: ImportColumns;
  samples: readonly (readonly string[])[];
  lines: number;
  reading: FileReading;
}

/** Reading of a file, with the number of its line of titles (0 for none), and the lines that may be it. */
export interface FileReading extends TableReading {
  header: number;
  head: readonly { line: number; text: string }[];
}

/** Reading that the person chooses in place of the detected one. */
export interface ReadingChoice extends TableChoice {
  header?: number;
}

/** Result that the import of a file would have. */
export interface CheckedFile {
  ready: number;
  refused: number;
  /** Of the first lines that are right; `company` of a client, `referrer` of a referral. */
  preview: readonly {
    line: number;
    name: string;
    email: string | null;
    phone: string | null;
    company?: string | null;
    referrer?: string;
  }[];
  /** Of the first refused lines. */
  problems: readonly { line: number; problems: readonly string[] }[];
}

/** Choices of an import: kind, columns, the commercial of its clients where no column names one, the software of its references. */
export interface ImportChoice {
  kind: ImportKind;
  importId: string;
  columns: ImportColumns;
  commercialId: string | null;
  source: string;
}

/** Reads a file as it is found to be, or as the person says; nothing is written. */
export async function readImportFile(kind: ImportKind, file: File, choice: ReadingChoice): Promise<ReadFile> {
  const body = new FormData();
  body.set('kind', kind);
  for (const [name, value] of Object.entries(choice)) body.set(name, String(value));
  body.set('name', file.name);
  body.set('file', file);
  const { data } = await callFunction<{ data: Omit<ReadFile, 'name'> }>('imports', { query: { action: 'read' }, body });
  return { ...data, name: file.name };
}

export async function checkImport(choice: ImportChoice): Promise<CheckedFile> {
  const { data } = await callFunction<{ data: CheckedFile }>('imports', { body: bodyOf('check', choice) });
  return data;
}

/** The lines that are left out, with what is wrong with each. */
export async function refusedLinesFile(choice: ImportChoice): Promise<File> {
  const { data } = await callFunction<{ data: { name: string; content: string } }>('imports', {
    body: bodyOf('refused', choice),
  });
  return new File([data.content], data.name, { type: 'text/csv' });
}

/** Writes what was on screen: `expected` lines. Said again it is the same import. */
export async function confirmImport(
  choice: ImportChoice,
  { invites, expected }: { invites: boolean; expected: number },
): Promise<{ id: string; written: number }> {
  const { data } = await callFunction<{ data: { id: string; written: number } }>('imports', {
    body: { ...bodyOf('confirm', choice), invites, expected },
  });
  refresh();
  return data;
}

export async function undoImport(importId: string): Promise<{ removed: number; kept: number }> {
  const { data } = await callFunction<{ data: { removed: number; kept: number } }>('imports', {
    body: { action: 'undo', import_id: importId },
  });
  refresh();
  return data;
}

function bodyOf(action: string, { kind, importId, columns, commercialId, source }: ImportChoice) {
  return { action, kind, import_id: importId, columns, commercial_id: commercialId, source };
}

/** An import that was confirmed, and what is left of it. */
export interface PastImport {
  id: string;
  fileName: string;
  madeByName: string;
  writtenAt: string;
  written: number;
  leftOut: number;
  undoneAt: string | null;
  removed: number;
  /** Of what it made, what is there. */
  here: number;
  invitationsDue: number;
  invitationsSent: number;
  /** Why an undoing left some of it, and how many. */
  kept: Readonly<Record<string, number>>;
}

/** The latest imports: one's own, an admin's are all. */
export function pastImportsQuery(kind: ImportKind) {
  return queryOptions({ queryKey: ['imports', kind], queryFn: () => readPastImports(kind) });
}

async function readPastImports(kind: ImportKind): Promise<readonly PastImport[]> {
  const { data } = await callFunction<{ data: readonly PastImportRow[] }>('imports', {
    method: 'GET',
    query: { action: 'list', kind },
  });
  return data.map((row) => ({
    id: row.id,
    fileName: row.file_name,
    madeByName: row.made_by_name,
    writtenAt: row.written_at,
    written: row.written,
    leftOut: row.left_out,
    undoneAt: row.undone_at,
    removed: row.removed,
    here: row.here,
    invitationsDue: row.invitations_due,
    invitationsSent: row.invitations_sent,
    kept: row.kept,
  }));
}

interface PastImportRow {
  id: string;
  file_name: string;
  made_by_name: string;
  written_at: string;
  written: number;
  left_out: number;
  undone_at: string | null;
  removed: number;
  here: number;
  invitations_due: number;
  invitations_sent: number;
  kept: Readonly<Record<string, number>>;
}
