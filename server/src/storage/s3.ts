import { AwsClient } from 'aws4fetch';

/** Bytes kept outside the database, each under a name of its own that is never used twice. */
export type ByteStore = {
  readonly put: (name: string, bytes: Buffer) => Promise<void>;
  /** From `first` to `last`, both included, where they are given; null where there is nothing of that name. */
  readonly get: (name: string, range?: { readonly first: number; readonly last: number }) => Promise<Buffer | null>;
  /** What is not there is removed already. */
  readonly remove: (name: string) => Promise<void>;
};

const TIMEOUT_MS = 10_000;

/**
 * A service that speaks S3, as `https://key:secret@host/bucket/prefix?region=eu-west-3` names it. Addresses are those
 * with the bucket in the path, which every such service knows.
 */
export function s3Store(address: string): ByteStore {
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

  async function ask(method: 'GET' | 'PUT' | 'DELETE', name: string, init: RequestInit = {}): Promise<Response> {
    return client.fetch(`${base}/${name}`, { ...init, method, signal: AbortSignal.timeout(TIMEOUT_MS) });
  }

  return {
    async put(name, bytes) {
      const answer = await ask('PUT', name, {
        body: new Uint8Array(bytes),
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes.length) },
      });
      await expectSuccess(answer, 'kept no file');
    },
    async get(name, range) {
      const headers: Record<string, string> =
        range === undefined ? {} : { range: `bytes=${range.first}-${range.last}` };
      const answer = await ask('GET', name, { headers });
      if (answer.status === 404) {
        await answer.body?.cancel();
        return null;
      }
      await expectSuccess(answer, 'gave no file');
      return Buffer.from(await answer.arrayBuffer());
    },
    async remove(name) {
      const answer = await ask('DELETE', name);
      if (answer.status === 404) await answer.body?.cancel();
      else await expectSuccess(answer, 'removed no file');
    },
  };
}

async function expectSuccess(answer: Response, what: string): Promise<void> {
  if (answer.ok) return;
  await answer.body?.cancel();
  throw new Error(`The file service ${what}: ${answer.status}`);
}
