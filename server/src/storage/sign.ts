import { errors, jwtVerify, SignJWT } from 'jose';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

import { callerOf } from '#platform/identity';
import type { Services } from '#platform/services';

import { asAdmin, SIGNING_REFUSED } from './as-admin.ts';
import { BUCKET } from './logos.ts';
import { checkName, refuseVersion } from './object-name.ts';
import { readBody } from './read-body.ts';
import { StorageRefusal } from './refusal.ts';
import { transformationIn } from './transform.ts';
import type { Transformation } from './transform.ts';
import { receiveObject, writeObject } from './write.ts';

// A signed address allows one act on one file, for a time. Its key signs nothing else and its token names neither a person
// nor a role, so it cannot pass for an access token.

const ALGORITHM = 'HS256';
const PURPOSE = 'signed file addresses';
const SECONDS_MAX = 31_536_000;
const UPLOAD_SECONDS = 7200;

type Scope = 'download' | 'upload';
type Signed = {
  readonly expires: Date;
  readonly owner: string | null;
  readonly isUpsert: boolean;
  readonly transformation: Transformation | null;
};
type SignServices = Pick<Services, 'secrets' | 'clock'>;

const expiresIn = z.int().min(1).max(SECONDS_MAX);
const one = z.object({ expiresIn, versionId: z.string().nullish(), transform: z.unknown().optional() });
const several = z.object({ expiresIn, paths: z.array(z.string().max(255)).min(1).max(500) });

/** The signed address of one file, for a signed-in caller. */
export async function signDownload(services: Services, name: string, request: FastifyRequest) {
  const wanted = readBody(one, request.body);
  refuseVersion(wanted.versionId);
  const transformation = transformationIn(wanted.transform);
  const [signed] = await signedAddresses(services, [name], wanted.expiresIn, request, transformation);
  if (signed?.signedURL === null || signed === undefined) throw new StorageRefusal('NoSuchKey');
  return { signedURL: signed.signedURL };
}

/** The signed addresses of several files, each with an error where the file does not exist. */
export async function signDownloads(services: Services, request: FastifyRequest) {
  const wanted = readBody(several, request.body);
  return signedAddresses(services, wanted.paths, wanted.expiresIn, request);
}

async function signedAddresses(
  services: Services,
  paths: readonly string[],
  seconds: number,
  request: FastifyRequest,
  transformation: Transformation | null = null,
): Promise<{ readonly error: string | null; readonly path: string; readonly signedURL: string | null }[]> {
  const { identity, db } = callerOf(request);
  if (identity.role === 'anon') throw new StorageRefusal('AccessDenied', SIGNING_REFUSED);
  const more = transformation === null ? {} : { transformation };
  // The session is alive, or this raises.
  if (identity.role === 'authenticated') await db.queryAs(identity, { text: 'select' }, { readOnly: true });
  const { rows } = await db.queryAsService<{ name: string }>('sign addresses of public files', {
    text: 'select name from storage.objects where bucket_id = $1 and name = any ($2::text[])',
    values: [BUCKET, paths.filter((path) => !path.includes('\0'))],
  });
  const existing = new Set(rows.map(({ name }) => name));
  return Promise.all(
    paths.map(async (path) =>
      existing.has(path)
        ? { error: null, path, signedURL: await addressOf(services, 'download', path, seconds, more) }
        : { error: 'Either the object does not exist or you do not have access to it', path, signedURL: null },
    ),
  );
}

/** A signed address to upload one file without a session, for two hours, as long as its maker is an admin. */
export async function signUpload(services: Services, name: string, request: FastifyRequest) {
  const isUpsert = request.headers['x-upsert'] === 'true';
  const { owner, isTaken } = await asAdmin(request, async (tx, admin) => {
    const { rows } = await tx.query('select from storage.objects where bucket_id = $1 and name = $2', [BUCKET, name]);
    return { owner: admin, isTaken: rows.length > 0 };
  });
  if (isTaken && !isUpsert) throw new StorageRefusal('KeyAlreadyExists');
  return { url: await addressOf(services, 'upload', name, UPLOAD_SECONDS, { owner, upsert: isUpsert }) };
}

/** Stores the file of an upload to a signed address. */
export async function uploadSigned(services: Services, name: string, token: string, request: FastifyRequest) {
  const { owner, isUpsert } = await verifySigned(services, 'upload', name, token);
  const { db } = services;
  if (owner !== null) {
    const { rows } = await db.queryAsService('upload to a signed address', {
      text: `select from public.profiles where id = $1 and role = 'admin' and deactivated_at is null`,
      values: [owner],
    });
    if (rows.length === 0) throw new StorageRefusal('AccessDenied');
  }
  const object = await receiveObject(services, request);
  return db.asService('upload to a signed address', (tx) =>
    writeObject(tx, { ...object, name, owner }, isUpsert ? 'upsert' : 'insert'),
  );
}

async function addressOf(
  { secrets, clock }: SignServices,
  scope: Scope,
  name: string,
  seconds: number,
  more: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const now = Math.floor(clock.now().getTime() / 1000);
  const token = await new SignJWT({ ...more, url: `${BUCKET}/${name}`, scope })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
    .setIssuedAt(now)
    .setExpirationTime(now + seconds)
    .sign(secrets.derive(PURPOSE));
  const download = more['transformation'] === undefined ? '/object/sign' : '/render/image/sign';
  const path = scope === 'download' ? download : '/object/upload/sign';
  return `${path}/${BUCKET}/${name}?token=${token}`;
}

/** Checks a signed address. @throws StorageRefusal where its token is of another file or scope, forged or expired. */
export async function verifySigned(
  { secrets, clock }: SignServices,
  scope: Scope,
  name: string,
  token: string | undefined,
): Promise<Signed> {
  try {
    const { payload } = await jwtVerify(token ?? '', secrets.derive(PURPOSE), {
      algorithms: [ALGORITHM],
      currentDate: clock.now(),
      requiredClaims: ['exp'],
    });
    const { url, exp, owner, upsert, transformation } = payload;
    if (payload['scope'] !== scope || url !== `${BUCKET}/${checkName(name)}`)
      throw new StorageRefusal('InvalidSignature');
    return {
      expires: new Date((exp ?? 0) * 1000),
      owner: typeof owner === 'string' ? owner : null,
      isUpsert: upsert === true,
      transformation: transformationIn(transformation),
    };
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw Object.assign(new StorageRefusal('ExpiredToken'), { cause: error });
    if (error instanceof errors.JOSEError) {
      throw Object.assign(new StorageRefusal('InvalidSignature'), { cause: error });
    }
    throw error;
  }
}
