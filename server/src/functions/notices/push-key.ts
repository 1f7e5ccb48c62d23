import { exportJWK, generateKeyPair, importJWK } from 'jose';
import type { CryptoKey, JWK } from 'jose';

import type { Services } from '#platform/services';

/** The key by which push services know this installation (VAPID, RFC 8292). */
export type PushKey = {
  /** As browsers subscribe with it: the point, uncompressed, in base64url. */
  readonly publicKey: string;
  readonly privateKey: CryptoKey;
};

const NAME = 'push_key';
const PURPOSE = 'push-key';

/**
 * Reads the key, making it when the first phone asks; nodes that make one together agree on the first. Every subscription is bound
 * to it: it is never made anew.
 */
export async function readPushKey({ db, secrets }: Pick<Services, 'db' | 'secrets'>): Promise<PushKey> {
  const read = async (): Promise<Buffer | undefined> => {
    const { rows } = await db.queryAsService<{ value: Buffer }>('push key', {
      text: 'select value from private.secrets where name = $1',
      values: [NAME],
    });
    return rows[0]?.value;
  };
  let sealed = await read();
  if (sealed === undefined) {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    await db.queryAsService('push key', {
      text: 'insert into private.secrets (name, value) values ($1, $2) on conflict (name) do nothing',
      values: [NAME, secrets.seal(PURPOSE, JSON.stringify(await exportJWK(privateKey)), NAME)],
    });
    sealed = await read();
  }
  if (sealed === undefined) throw new Error('The push key is missing');
  const jwk = JSON.parse(secrets.open(PURPOSE, sealed, NAME).toString()) as JWK;
  const privateKey = await importJWK(jwk, 'ES256');
  if (privateKey instanceof Uint8Array || jwk.x === undefined || jwk.y === undefined) {
    throw new Error('The push key is not an elliptic curve key');
  }
  const point = Buffer.concat([Buffer.of(4), Buffer.from(jwk.x, 'base64url'), Buffer.from(jwk.y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey };
}
