import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** Of a level that costs no more than the rest of the work. */
const DEFLATE = { level: 4, finishFlush: constants.Z_SYNC_FLUSH };
/** An empty last block: what stands before it are blocks that each end at a byte. */
const LAST_BLOCK = Buffer.from([0x03, 0x00]);
/** The format's own bound, without its extension of 64 bits. */
const BYTES_MAX = 0xff_ff_ff_ff;
/** The format's first day: the same list gives the same bytes, whenever it is written. */
const FIRST_DAY = '1980-01-01';
const UTF8_AND_DESCRIPTOR = 0x08_08;
const DEFLATED = 8;

export type ZipEntry = {
  readonly name: string;
  readonly parts: Iterable<string | Buffer> | AsyncIterable<string | Buffer>;
};

/**
 * A ZIP, part by part, so that no entry is ever whole in memory. Each part is compressed by itself; `day` dates the files.
 * @throws Error beyond 4 GiB
 */
export async function* zip(
  entries: Iterable<ZipEntry> | AsyncIterable<ZipEntry>,
  day = FIRST_DAY,
): AsyncGenerator<Buffer> {
  const time = midnightOf(day);
  const directory: Buffer[] = [];
  let offset = 0;
  for await (const { name, parts } of entries) {
    const start = offset;
    const nameBytes = Buffer.from(name);
    const head = Buffer.concat([record(0x04_03_4b_50, [20, UTF8_AND_DESCRIPTOR, DEFLATED], time, 0, 0, 0), nameBytes]);
    head.writeUInt16LE(nameBytes.length, 26);
    yield head;
    let checksum = 0;
    let size = 0;
    let packed = 0;
    for await (const part of parts) {
      const bytes = typeof part === 'string' ? Buffer.from(part) : part;
      checksum = crc32(bytes, checksum);
      size += bytes.length;
      const block = await deflate(bytes, DEFLATE);
      packed += block.length;
      if (size > BYTES_MAX || offset + packed > BYTES_MAX) throw new Error('The archive is beyond 4 GiB');
      yield block;
    }
    yield LAST_BLOCK;
    packed += LAST_BLOCK.length;
    const descriptor = Buffer.alloc(16);
    descriptor.writeUInt32LE(0x08_07_4b_50, 0);
    descriptor.writeUInt32LE(checksum, 4);
    descriptor.writeUInt32LE(packed, 8);
    descriptor.writeUInt32LE(size, 12);
    yield descriptor;
    offset += head.length + packed + descriptor.length;
    const listed = record(0x02_01_4b_50, [20, 20, UTF8_AND_DESCRIPTOR, DEFLATED], time, checksum, packed, size);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(start, 10);
    listed.writeUInt16LE(nameBytes.length, 28);
    directory.push(listed, more, nameBytes);
  }
  const bytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  const count = directory.length / 3;
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(bytes.length, 12);
  end.writeUInt32LE(offset, 16);
  yield Buffer.concat([bytes, end]);
}

/** The fields that a local header and the directory have alike; the lengths of name and extra field follow as zeros. */
function record(
  signature: number,
  shorts: readonly number[],
  time: number,
  checksum: number,
  packed: number,
  size: number,
): Buffer {
  const bytes = Buffer.alloc(4 + 2 * shorts.length + 4 + 12 + 4);
  bytes.writeUInt32LE(signature, 0);
  let place = 4;
  for (const short of shorts) place = bytes.writeUInt16LE(short, place);
  for (const long of [time, checksum, packed, size]) place = bytes.writeUInt32LE(long, place);
  return bytes;
}

/** Midnight of « 2026-11-29 », as the format has it: the date above the time, whose years begin with 1980. */
function midnightOf(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map((part) => Number.parseInt(part, 10));
  return (((year - 1980) << 25) | (month << 21) | (date << 16)) >>> 0;
}
