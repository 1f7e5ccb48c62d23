import { crc32, inflateRawSync } from 'node:zlib';

/** The entries of a ZIP, by its directory; each must be what its checksum says. */
export function unzipped(bytes: Buffer): Map<string, Buffer> {
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  const files = new Map<string, Buffer>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [checksum, packed, nameLength] = [
      bytes.readUInt32LE(at + 16),
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
    ];
    const start = bytes.readUInt32LE(at + 42);
    const name = bytes.subarray(at + 46, at + 46 + nameLength).toString('utf8');
    const content = inflateRawSync(bytes.subarray(start + 30 + nameLength, start + 30 + nameLength + packed));
    if (crc32(content) !== checksum) throw new Error(`« ${name} » is not what its checksum says`);
    files.set(name, content);
    at += 46 + nameLength;
  }
  return files;
}
