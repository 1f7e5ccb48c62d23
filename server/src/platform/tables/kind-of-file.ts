import type { UnreadableCause } from '@parrain/domain/table-file';
import { fileTypeFromBuffer } from 'file-type';

import { UnreadableTable } from './unreadable-table.ts';

const START_BYTES = 4096;
const ZIP = Buffer.from([0x50, 0x4b, 0x03, 0x04]);
/** Formats that are text themselves: no strange byte tells them from a CSV. */
const OF_TEXT = new Set(['pdf', 'rtf', 'vcf', 'ics', 'xml', 'svg']);
const CAUSES: Readonly<Record<string, UnreadableCause>> = {
  pdf: 'pdf',
  vcf: 'vcard',
  ics: 'calendar',
  xml: 'page',
  svg: 'picture',
  rtf: 'document',
};

/**
 * Detects by its content that a file is a text, an XLSX or an ODS.
 * @throws UnreadableTable with what else it is.
 */
export async function kindOfFile(file: Uint8Array): Promise<'text' | 'xlsx' | 'ods'> {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (bytes.subarray(0, 4).equals(ZIP)) {
    const kind = kindOfArchive(bytes);
    if (kind === 'document' || kind === 'archive') throw new UnreadableTable(kind);
    return kind;
  }
  const known = await fileTypeFromBuffer(file);
  if (known?.ext === 'cfb') throw new UnreadableTable(isEncrypted(bytes) ? 'encrypted' : 'old_excel');
  const start = bytes.subarray(0, START_BYTES);
  // « BM;… » and « ID3;… » are beginnings of pictures and music, and of a table as well.
  if (known !== undefined && (OF_TEXT.has(known.ext) || hasControls(start))) {
    throw new UnreadableTable(CAUSES[known.ext] ?? (known.mime.startsWith('image/') ? 'picture' : 'other'));
  }
  if (/^(?:\uFEFF)?\s*<(?:!doctype|html|table|\?xml|body|div)\b/iu.test(start.toString('utf8'))) {
    throw new UnreadableTable('page');
  }
  if (isBinary(start)) throw new UnreadableTable('other');
  return 'text';
}

/** True for a ZIP that is neither a workbook nor another office document: a folder of files. */
export function isFolderOfFiles(bytes: Buffer): boolean {
  return bytes.subarray(0, 4).equals(ZIP) && kindOfArchive(bytes) === 'archive';
}

/** By the names of its parts, which stand unpacked in it: nothing of it is unpacked here. */
function kindOfArchive(bytes: Buffer): 'xlsx' | 'ods' | 'document' | 'archive' {
  if (bytes.includes('xl/workbook.xml')) return 'xlsx';
  if (bytes.includes('application/vnd.oasis.opendocument.spreadsheet')) return 'ods';
  const isDocument = ['word/document.xml', 'ppt/presentation.xml', 'opendocument.'].some((name) =>
    bytes.includes(name),
  );
  return isDocument ? 'document' : 'archive';
}

/** Excel puts a workbook with a password into the container of its old format. */
function isEncrypted(bytes: Buffer): boolean {
  return bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'));
}

function controlsOf(bytes: Buffer): number {
  return bytes.filter((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 26 && byte !== 27)).length;
}

function hasControls(bytes: Buffer): boolean {
  return controlsOf(bytes) > 0;
}

/** More strange bytes than a slip of the hand leaves, and no UTF-16, of which every other one is zero. */
function isBinary(bytes: Buffer): boolean {
  const zeros = bytes.filter((byte) => byte === 0).length;
  const isUtf16 = (bytes[0] ?? 0) + (bytes[1] ?? 0) === 0xff + 0xfe || zeros > bytes.length / 4;
  return isUtf16 ? controlsOf(bytes) - zeros > bytes.length / 20 : controlsOf(bytes) > bytes.length / 20;
}
