import type { AuthSettings } from './settings.ts';

/** Where a link may lead: the asked address where it is one of ours, else the site. Never an error, never elsewhere. */
export function redirectTarget(asked: string | null, settings: AuthSettings): string {
  const site = `${settings.siteUrl}/`;
  if (asked === null || asked.length > 2000 || /[\s\\]|[^\x20-\x7e]/u.test(asked)) return site;
  const target = URL.parse(asked);
  if (target === null || !['http:', 'https:'].includes(target.protocol)) return site;
  if (target.username !== '' || target.password !== '') return site;
  if (settings.redirectOrigins.includes(target.origin)) return target.href;
  const own = new URL(settings.siteUrl);
  const isOwn =
    target.protocol === own.protocol &&
    target.hostname === own.hostname &&
    (target.port === own.port || LOOPBACK.has(own.hostname));
  return isOwn ? target.href : site;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
