import { BUCKET } from './logos.ts';
import { StorageRefusal } from './refusal.ts';

/** The characters of a name, which the router has decoded once. */
const KEY = /^[\w/!.*'()&$@=;:+,? -]{1,255}$/u;

/** @throws StorageRefusal for any bucket but the one there is. */
export function checkBucket(bucket: string): void {
  if (bucket !== BUCKET) throw new StorageRefusal('NoSuchBucket');
}

/** A file has one version, the last. @throws StorageRefusal where another is asked for. */
export function refuseVersion(version: unknown): void {
  if (version !== undefined && version !== null) {
    throw new StorageRefusal('FeatureNotEnabled', 'Older versions of files are not kept');
  }
}

/** The name, which stays inside its folder. @throws StorageRefusal */
export function checkName(name: string): string {
  const isPath = name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!KEY.test(name) || !isPath) throw new StorageRefusal('InvalidKey');
  return name;
}
