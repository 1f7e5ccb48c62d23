import { AwsClient } from 'aws4fetch';

/** Bytes outside the database, each under a name that is never reused. */
export type ByteStore = {
  readonly put: (name: string, bytes: Buffer) => Promise<void>;
  /** From `first` to `last`, both included, where they are given; null where there is nothing of that name. */
  readonly get: (name: string, range?: { readonly first: number; readonly last: number }) => Promise<Buffer | null>;
  /** Removes the bytes, if they exist. */
  readonly remove: (name: string) => Promise<void>;
};

/** The same, for bytes that are too many to be held. */
export type LargeStore = ByteStore & {
  /** Keeps bytes as they come, whole or not at all. Gives how many there were. */
  readonly putLarge: (name: string, chunks: AsyncIterable<Uint8Array>) => Promise<number>;
  readonly list: () => Promise<readonly StoredBytes[]>;
};

export type StoredBytes = { readonly name: string; readonly bytes: number };

const TIMEOUT_MS = 10_000;
const LARGE_TIMEOUT_MS = 120_000;
/** A service that does not begin within this is not there. */
const BEGIN_TIMEOUT_MS = 5000;
/** S3 takes ten thousand parts, of five mebibytes or more: eighty gigabytes, of which one part is held. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * A service that speaks S3, as `https://key:secret@host/bucket/prefix?region=eu-west-3` names it. Addresses are those
 * with the bucket in the path, which every such service knows.
 */
export function s3Store(address: string): LargeStore {
  const url = new URL(address);
  const client = new AwsClient({
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    service: 's3',
    region: url.searchParams.get('region') ?? 'us-east-1',
    retries: 2,
    initRetryMs: 100,
  });
  const base = `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  const [bucket = '', ...folders] = url.pathname.split('/').filter((part) => part !== '');
  const prefix = folders.map((folder) => `${decodeURIComponent(folder)}/`).join('');

  async function ask(
    method: 'GET' | 'PUT' | 'POST' | 'DELETE',
    name: string,
    init: RequestInit = {},
    timeout = TIMEOUT_MS,
  ): Promise<Response> {
    return fetched(`${base}/${name}`, { ...init, method, signal: AbortSignal.timeout(timeout) });
  }

  /** @throws a sentence for people, with the host and the cause, where no answer comes. */
  async function fetched(asked: string, init: RequestInit): Promise<Response> {
    return client.fetch(asked, init).catch((error: unknown) => Promise.reject(unreachable(url.host, error)));
  }

  async function sendParts(name: string, upload: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const tags: string[] = [];
    let bytes = 0;
    for await (const part of inParts(chunks)) {
      bytes += part.length;
      const answer = await ask(
        'PUT',
        `${name}?partNumber=${tags.length + 1}&uploadId=${encodeURIComponent(upload)}`,
        { body: new Uint8Array(part), headers: { 'content-length': String(part.length) } },
        LARGE_TIMEOUT_MS,
      );
      await expectSuccess(answer);
      tags.push(answer.headers.get('etag') ?? '');
    }
    const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
    const answer = await ask(
      'POST',
      `${name}?uploadId=${encodeURIComponent(upload)}`,
      { body: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>` },
      LARGE_TIMEOUT_MS,
    );
    await expectSuccess(answer);
    // The answer begins before the outcome is known: a failure may stand in it.
    if (elements(await answer.text(), 'Error').length > 0)
      throw new Error(`le service de fichiers ${url.host} n’a pas assemblé le fichier`);
    return bytes;
  }

  return {
    async put(name, bytes) {
      const answer = await ask('PUT', name, {
        body: new Uint8Array(bytes),
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) },
      });
      await expectSuccess(answer);
    },
    async putLarge(name, chunks) {
      const begun = await ask('POST', `${name}?uploads`, {}, BEGIN_TIMEOUT_MS);
      await expectSuccess(begun);
      const [upload] = elements(await begun.text(), 'UploadId');
      if (upload === undefined) throw new Error(`le service de fichiers ${url.host} n’a pas commencé le fichier`);
      try {
        return await sendParts(name, upload, chunks);
      } catch (error) {
        await ask('DELETE', `${name}?uploadId=${encodeURIComponent(upload)}`).catch(() => undefined);
        throw error;
      }
    },
    async get(name, range) {
      const headers: Record<string, string> =
        range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` };
      const answer = await ask('GET', name, { headers }, range === undefined ? TIMEOUT_MS : LARGE_TIMEOUT_MS);
      if (answer.status === 404) {
        await answer.body?.cancel();
        return null;
      }
      await expectSuccess(answer);
      return Buffer.from(await answer.arrayBuffer());
    },
    async remove(name) {
      const answer = await ask('DELETE', name);
      if (answer.status === 404) await answer.body?.cancel();
      else await expectSuccess(answer);
    },
    async list() {
      const found: StoredBytes[] = [];
      for (let token: string | undefined; ;) {
        const asked = new URLSearchParams({ 'list-type': '2', prefix });
        if (token !== undefined) asked.set('continuation-token', token);
        const answer = await fetched(`${url.origin}/${bucket}?${asked.toString()}`, {
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        await expectSuccess(answer);
        const text = await answer.text();
        for (const entry of elements(text, 'Contents')) {
          const name = elements(entry, 'Key')[0]?.slice(prefix.length) ?? '';
          if (!name.includes('/')) found.push({ name, bytes: Number(elements(entry, 'Size')[0]) });
        }
        [token] = elements(text, 'NextContinuationToken');
        if (token === undefined) return found;
      }
    },
  };
}

/** Bytes in parts of one size, the last one smaller, and always one. */
async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let count = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < PART_BYTES) continue;
    yield Buffer.concat(waiting);
    count += 1;
    waiting = [];
    length = 0;
  }
  if (length > 0 || count === 0) yield Buffer.concat(waiting);
}

/** The content of each element of that name: S3's XML has neither attributes nor comments there. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gsu'))].map(([, content = '']) =>
    content.includes('<')
      ? content
      : content.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
}

/** @throws a sentence for people, with the host, the service's own code and what it means. */
async function expectSuccess(answer: Response): Promise<void> {
  if (answer.ok) return;
  const [code = String(answer.status)] = elements(await answer.text().catch(() => ''), 'Code');
  throw new Error(
    `le service de fichiers ${new URL(answer.url).host} refuse : ${REFUSALS[code] ?? 'sa réponse est'} (${code})`,
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'il ne connaît pas la clé de l’adresse',
  SignatureDoesNotMatch: 'le secret de l’adresse n’est pas celui de la clé',
  AccessDenied: 'cette clé n’a pas le droit d’écrire et de lire dans ce bucket',
  NoSuchBucket: 'ce bucket n’existe pas',
  PermanentRedirect: 'ce bucket est dans une autre région',
  AuthorizationHeaderMalformed: 'la région de l’adresse n’est pas celle du bucket',
  RequestTimeTooSkewed: 'l’horloge de cette machine n’est pas à l’heure',
};

function unreachable(host: string, error: unknown): Error {
  const causes = [error, (error as Error).cause];
  const codes = causes.flatMap((one) => [
    (one as NodeJS.ErrnoException | undefined)?.code,
    (one as Error | undefined)?.name,
  ]);
  const [why] = codes.flatMap((code) => (typeof code === 'string' && code in UNREACHED ? [UNREACHED[code]] : []));
  return new Error(`le service de fichiers ${host} ne répond pas : ${why ?? (error as Error).message}`, {
    cause: error,
  });
}

const UNREACHED: Readonly<Record<string, string>> = {
  ENOTFOUND: 'ce nom n’existe pas',
  EAI_AGAIN: 'ce nom n’est pas trouvé',
  ECONNREFUSED: 'la connexion est refusée',
  ECONNRESET: 'la connexion est coupée',
  EHOSTUNREACH: 'cette machine n’est pas joignable',
  ENETUNREACH: 'le réseau n’est pas joignable',
  TimeoutError: 'rien n’est venu à temps',
  UND_ERR_CONNECT_TIMEOUT: 'rien n’est venu à temps',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'son certificat n’est pas reconnu',
  SELF_SIGNED_CERT_IN_CHAIN: 'son certificat n’est pas reconnu',
  CERT_HAS_EXPIRED: 'son certificat est périmé',
  ERR_TLS_CERT_ALTNAME_INVALID: 'son certificat est celui d’un autre nom',
};
