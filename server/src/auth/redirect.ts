import type { AuthSettings } from './settings.ts';

/** Where a link may lead: the asked address where it is one of ours, else the site. Never an error, never elsewhere. */
export function redirectTarget(asked: string | null, settings: AuthSettings): string {
  const site = `${settings.siteUrl}/`;
  if (asked === null || asked.length > 2000 || /[\s\\]|[^\x20-\x7e]/u.test(asked)) return site;
  const target = URL.parse(asked);
  if (target === null || !['http:', 'https:'].includes(target.protocol)) return site;
  if (target.username !== '' || target.password !== '') return site;
  const own = new URL(settings.siteUrl);
  const isOwn =
    target.protocol === own.protocol &&
    target.hostname === own.hostname &&
    (target.port === own.port || LOOPBACK.has(own.hostname));
  if (isOwn) return target.href;
  // A bare address of a machine is nobody's name.
  if (/^[\d.]+$|^\[/u.test(target.hostname) && !LOOPBACK.has(target.hostname)) return site;
  const compared = target.href.split('#', 1)[0] ?? '';
  return settings.redirectUrls.some((pattern) => matcherOf(pattern).test(compared)) ? target.href : site;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const matchers = new Map<string, RegExp>();

/** `*` does not cross a dot or a slash, so that a pattern for one company's names lets no other in; `**` does. */
function matcherOf(pattern: string): RegExp {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  // An address without a path is the whole origin.
  const whole = /^https?:\/\/[^/]+$/iu.test(pattern) ? `${pattern}/**` : pattern;
  const source = whole
    .split(/(\*\*|\*)/u)
    .map((part) => (part === '**' ? '.*' : part === '*' ? '[^./]*' : part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&')))
    .join('');
  const matcher = new RegExp(`^${source}$`, 'iu');
  matchers.set(pattern, matcher);
  return matcher;
}
