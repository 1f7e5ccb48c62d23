import { DUMP_FORMAT, END_OF_ROWS, NOTE } from './dump.ts';
import type { DumpHeader, DumpTrailer } from './dump.ts';

/** A dump, piece by piece: its header, sections that open, give rows and close, its trailer. */
export type DumpPart =
  | { readonly kind: 'header'; readonly header: DumpHeader }
  | { readonly kind: 'open'; readonly head: string }
  | { readonly kind: 'rows'; readonly bytes: Buffer }
  | { readonly kind: 'close' }
  | { readonly kind: 'trailer'; readonly trailer: DumpTrailer };

/** The bytes are not a whole dump: cut, altered, or something else. */
export class BrokenDump extends Error {
  override readonly name = 'BrokenDump';
}

const LINE_MAX = 1_000_000;
const NEWLINE = 0x0a;
/** The end of a section's rows, with the line break before it: no row holds it, since COPY writes a backslash twice. */
const END = Buffer.from(`\n${END_OF_ROWS}\n`);

/**
 * Takes a dump apart while it arrives.
 * @throws BrokenDump where it ends too early, holds another number of rows than its trailer says, or is none.
 */
export async function* readDump(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<DumpPart> {
  const rows: Record<string, number> = {};
  let head: string | null = null;
  let hasHeader = false;
  let trailer: DumpTrailer | null = null;
  let rest = Buffer.alloc(0);
  // Within a section `rest` begins with a line break that was given out already: the end is looked for together with it.
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([rest, chunk]);
    while (rest.length > 0) {
      if (head !== null) {
        const end = rest.indexOf(END);
        const until = end === -1 ? rest.length - END.length + 1 : end + 1;
        if (until > 1) {
          const bytes = rest.subarray(1, until);
          rows[head] = (rows[head] ?? 0) + countLines(bytes);
          yield { kind: 'rows', bytes };
          rest = rest.subarray(until - 1);
        }
        if (end === -1) break;
        rest = rest.subarray(END.length);
        head = null;
        yield { kind: 'close' };
        continue;
      }
      const end = rest.indexOf(NEWLINE);
      if (end === -1 && rest.length <= LINE_MAX) break;
      if (end === -1 || trailer !== null) throw new BrokenDump('Something follows the end');
      const line = rest.toString('utf8', 0, end);
      if (line.startsWith(NOTE)) {
        const note = parsed(line.slice(NOTE.length));
        if (hasHeader) {
          trailer = note as DumpTrailer;
          if (!hasSameRows(trailer.rows, rows)) throw new BrokenDump('The number of rows differs');
          yield { kind: 'trailer', trailer };
        } else {
          const header = note as DumpHeader;
          if (header.format !== DUMP_FORMAT) throw new BrokenDump('The format is unknown');
          hasHeader = true;
          yield { kind: 'header', header };
        }
        rest = rest.subarray(end + 1);
        continue;
      }
      if (!hasHeader || !line.startsWith('COPY ') || line in rows) throw new BrokenDump('A section was expected');
      head = line;
      rows[head] = 0;
      yield { kind: 'open', head };
      // Keeps the line break of the head.
      rest = rest.subarray(end);
    }
  }
  if (trailer === null || rest.length > 0) throw new BrokenDump('The end is missing');
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new BrokenDump('A note cannot be read');
}

function hasSameRows(declared: DumpTrailer['rows'] | undefined, counted: Readonly<Record<string, number>>): boolean {
  const heads = Object.keys(counted);
  return (
    declared !== undefined &&
    Object.keys(declared).length === heads.length &&
    heads.every((head) => declared[head] === counted[head])
  );
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
