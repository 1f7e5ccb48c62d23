import { BUCKET } from './logos.ts';
import { StorageRefusal } from './refusal.ts';

/** What a name may be made of; it is decoded once, by the router. */
const KEY = /^[\w/!.*'()&$@=;:+,? -]{1,255}$/u;

export function checkBucket(bucket: string): void {
  if (bucket !== BUCKET) throw new StorageRefusal('NoSuchBucket');
}

/** Of a file there is one version, the last. */
export function refuseVersion(version: unknown): void {
  if (version !== undefined && version !== null) {
    throw new StorageRefusal('FeatureNotEnabled', 'Older versions of files are not kept');
  }
}

/** A name that stays inside its folder, whatever it says. @throws StorageRefusal */
export function checkName(name: string): string {
  const isPath = name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!KEY.test(name) || !isPath) throw new StorageRefusal('InvalidKey');
  return name;
}
