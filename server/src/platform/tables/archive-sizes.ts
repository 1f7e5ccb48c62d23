import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';

import { UnreadableTable } from './unreadable-table.ts';

/** Limits that an honest workbook of the largest size keeps: the number of its parts, and its bytes unpacked. */
const PARTS_MAX = 200;
const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;

const END = 0x06_05_4b_50;
const LISTED = 0x02_01_4b_50;
const LOCAL = 0x04_03_4b_50;
/** In place of a number of 32 bits: the number stands in the extra field, with 64. */
const ELSEWHERE = 0xff_ff_ff_ff;
const DEFLATED = 8;

/**
 * A copy of a workbook's archive whose directory tells the truth: every part is unpacked and counted, none is kept, and it is refused
 * as soon as they are too large together. Readers then believe the directory, which a bomb fills with what it likes (DF-22).
 * @throws UnreadableTable
 */
export async function withTrueSizes(file: Uint8Array): Promise<Uint8Array> {
  const bytes = Buffer.from(file);
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (end < 0 || end + 22 > bytes.length || bytes.readUInt32LE(end) !== END) throw new UnreadableTable('damaged');
  const parts = bytes.readUInt16LE(end + 10);
  if (parts > PARTS_MAX) throw new UnreadableTable('unpacked');
  let at = bytes.readUInt32LE(end + 16);
  let left = UNPACKED_BYTES_MAX;
  for (let part = 0; part < parts; part += 1) {
    if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== LISTED) throw new UnreadableTable('damaged');
    const { packed, start } = placeOf(bytes, at);
    const size = await sizeOf(bytes, { start, packed, isDeflated: bytes.readUInt16LE(at + 10) === DEFLATED, left });
    left -= size;
    bytes.writeUInt32LE(packed, at + 20);
    bytes.writeUInt32LE(size, at + 24);
    bytes.writeUInt32LE(start, at + 42);
    at += 46 + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return bytes;
}

/** Start and packed size of a listed part, by the directory, with numbers of 32 bits or of 64. */
function placeOf(bytes: Buffer, at: number): { readonly packed: number; readonly start: number } {
  const told = [bytes.readUInt32LE(at + 24), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 42)];
  const extra = at + 46 + bytes.readUInt16LE(at + 28);
  const extraEnd = extra + bytes.readUInt16LE(at + 30);
  let wide = extra;
  while (wide + 4 <= extraEnd && bytes.readUInt16LE(wide) !== 1) wide += 4 + bytes.readUInt16LE(wide + 2);
  wide += 4;
  const [, packed, start] = told.map((number) => {
    if (number !== ELSEWHERE) return number;
    if (wide + 8 > extraEnd) throw new UnreadableTable('damaged');
    wide += 8;
    return Number(bytes.readBigUInt64LE(wide - 8));
  });
  return { packed: packed ?? 0, start: start ?? 0 };
}

type Part = {
  readonly start: number;
  readonly packed: number;
  readonly isDeflated: boolean;
  readonly left: number;
};

/** The size of a part, unpacked here and forgotten. */
async function sizeOf(bytes: Buffer, { start, packed, isDeflated, left }: Part): Promise<number> {
  if (start + 30 > bytes.length || bytes.readUInt32LE(start) !== LOCAL) throw new UnreadableTable('damaged');
  const from = start + 30 + bytes.readUInt16LE(start + 26) + bytes.readUInt16LE(start + 28);
  // Of a deflated part without bytes readers look for them elsewhere: there is none such.
  if (from + packed > bytes.length || (isDeflated && packed === 0)) throw new UnreadableTable('damaged');
  if (!isDeflated) return packed <= left ? packed : tooLarge();
  let size = 0;
  const inflating = Readable.from([bytes.subarray(from, from + packed)]).pipe(createInflateRaw());
  try {
    for await (const chunk of inflating) {
      size += (chunk as Buffer).length;
      if (size > left) tooLarge();
    }
  } catch (error) {
    throw error instanceof UnreadableTable ? error : new UnreadableTable('damaged');
  }
  return size;
}

function tooLarge(): never {
  throw new UnreadableTable('unpacked');
}
