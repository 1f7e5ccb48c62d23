import type { AuthSettings } from './settings.ts';

/** The target of a link: the asked address where it is one of ours, else the site. Never an error, never elsewhere. */
export function redirectTarget(asked: string | null, settings: AuthSettings): string {
  const site = `${settings.siteUrl}/`;
  if (asked === null || asked.length > 2000 || /[\s\\]|[^\x20-\x7e]/u.test(asked)) return site;
  const target = URL.parse(asked);
  if (target === null || !['http:', 'https:'].includes(target.protocol)) return site;
  if (target.username !== '' || target.password !== '') return site;
  // A host name with an empty label belongs to nobody.
  if (/^\.|\.\./u.test(target.hostname)) return site;
  const own = new URL(settings.siteUrl);
  const isOwn =
    target.protocol === own.protocol &&
    target.hostname === own.hostname &&
    (target.port === own.port || LOOPBACK.has(own.hostname));
  if (isOwn) return target.href;
  // A bare IP address is nobody's name.
  if (/^[\d.]+$|^\[/u.test(target.hostname) && !LOOPBACK.has(target.hostname)) return site;
  return settings.redirectUrls.some((pattern) => matches(pattern, target)) ? target.href : site;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The two halves of a pattern, origin and page. Neither matches a piece of the other. */
type Matcher = { readonly origin: RegExp; readonly page: RegExp };

const matchers = new Map<string, Matcher>();

function matches(pattern: string, target: URL): boolean {
  const { origin, page } = matcherOf(pattern);
  return origin.test(target.origin) && page.test(`${target.pathname}${target.search}`);
}

function matcherOf(pattern: string): Matcher {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const [, origin = '', page] = /^(https?:\/\/[^/]+)(\/.*)?$/iu.exec(pattern) ?? [];
  const matcher = {
    origin: globOf(origin.toLowerCase(), { one: '[^./:]*', many: '[^./:]*' }),
    // An address without a path is the whole origin.
    page: globOf(page ?? '/**', { one: '[^./]*', many: '.*' }),
  };
  matchers.set(pattern, matcher);
  return matcher;
}

/** `*` does not cross a dot or a slash, so that a pattern for one company's names lets no other in; `**` does. */
function globOf(text: string, stars: { readonly one: string; readonly many: string }): RegExp {
  const source = text
    .split(/(\*\*|\*)/u)
    .map((part) =>
      part === '**' ? stars.many : part === '*' ? stars.one : part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'),
    )
    .join('');
  return new RegExp(`^${source}$`, 'u');
}
