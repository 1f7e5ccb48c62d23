import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { Readable } from 'node:stream';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';

/** Encryption of a backup: by a passphrase, or for the holder of this age recipient's identity. */
export type SealKey = { readonly passphrase: string } | { readonly recipient: string };
export type OpenKey = { readonly passphrase: string } | { readonly identity: string };

/** The key does not open this backup. */
export class WrongBackupKey extends Error {
  override readonly name = 'WrongBackupKey';
}

/** scrypt with 64 MiB and a tenth of a second: the usual 256 MiB are more than some servers have. */
const SCRYPT_WORK_FACTOR = 16;
const COMPRESSION_LEVEL = 3;

/** Compresses, then encrypts as the `age` tool does, without ever holding more than some chunks. */
export async function* seal(plain: AsyncIterable<Uint8Array>, key: SealKey): AsyncGenerator<Uint8Array> {
  const age = new Encrypter();
  if ('passphrase' in key) {
    age.setPassphrase(key.passphrase);
    age.setScryptWorkFactor(SCRYPT_WORK_FACTOR);
  } else {
    age.addRecipient(key.recipient);
  }
  const compress = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  yield* through(plain, compress, (stream) => age.encrypt(stream));
}

/**
 * The reverse of {@link seal}.
 * @throws WrongBackupKey where the key is another's, Error where the bytes are cut or altered.
 */
export async function* unseal(sealed: AsyncIterable<Uint8Array>, key: OpenKey): AsyncGenerator<Uint8Array> {
  const age = new Decrypter();
  if ('passphrase' in key) age.addPassphrase(key.passphrase);
  else age.addIdentity(key.identity);
  const opened = opening(sealed, age);
  const decompress = createZstdDecompress();
  const piped = pipeline(opened, decompress);
  piped.catch(() => undefined);
  for await (const chunk of decompress) yield chunk as Uint8Array;
  await piped;
}

/** A pair for backups: the recipient stands on the server and closes, the identity is kept elsewhere and opens. */
export async function newIdentity(): Promise<{ readonly identity: string; readonly recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

async function* opening(sealed: AsyncIterable<Uint8Array>, age: Decrypter): AsyncGenerator<Uint8Array> {
  let plain;
  try {
    plain = await age.decrypt(webStreamOf(sealed));
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('no identity matched')) throw new WrongBackupKey();
    throw error;
  }
  yield* plain;
}

async function* through(
  source: AsyncIterable<Uint8Array>,
  transform: Transform,
  last: (stream: ReadableStream<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  const piped = pipeline(source, transform);
  piped.catch(() => undefined);
  yield* await last(webStreamOf(transform));
  await piped;
}

function webStreamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(chunks, { objectMode: false }));
}
