import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { floorScript } from '../app/floor.ts';
import { builtAssets, builtFile, builtSite } from './built-site.ts';
import { chromiumPages, expectPage } from './chromium.ts';

// The built web asks nothing of a browser that the floor does not have (Safari and iOS 16.4, Chrome 111, Firefox 115); see
// docs/decisions/0080-browsers-it-is-written-for.md. What is asked for only where it is there has its guard named.

/** By the first versions that have it: Safari, Chrome, Firefox. */
const newerScript: readonly (readonly [name: string, found: RegExp, versions: string])[] = [
  ['Promise.withResolvers', /\bPromise\.withResolvers\b/u, '17.4, 119, 121'],
  ['Promise.try', /\bPromise\.try\b/u, '18.2, 128, 134'],
  ['Map.groupBy, Object.groupBy', /\b(?:Map|Object)\.groupBy\b/u, '17.4, 117, 119'],
  ['Array.fromAsync', /\bArray\.fromAsync\b/u, '16.4, 121, 115'],
  ['URL.parse', /\bURL\.parse\(/u, '18, 126, 126'],
  ['URL.canParse', /\bURL\.canParse\(/u, '17, 120, 115'],
  ['isWellFormed', /\.(?:is|to)WellFormed\(/u, '16.4, 111, 119'],
  ['the methods of sets', /\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/u, '17, 122, 127'],
  [
    'union, intersection or difference of a set',
    /\bnew Set\([^()]*\)\.(?:union|intersection|difference)\(/u,
    '17, 122, 127',
  ],
  [
    'helpers of iterators',
    /\.(?:values|keys|entries)\(\)\.(?:map|filter|some|every|find|toArray|reduce|take|drop)\(/u,
    '18.4, 122, 131',
  ],
  ['Iterator', /\bIterator\.(?:from|concat|prototype)\b/u, '18.4, 122, 131'],
  ['RegExp.escape', /\bRegExp\.escape\b/u, '18.2, 136, 134'],
  ['sets of characters in a regular expression', /new RegExp\([^)]*,\s*[`'"][a-z]*v[a-z]*[`'"]\)/u, '17, 112, 116'],
  ['AbortSignal.any', /\bAbortSignal\.any\(/u, '17.4, 116, 124'],
  ['bytes as text', /\b(?:Uint8Array\.from(?:Base64|Hex)|\.to(?:Base64|Hex)\()/u, '18.2, 140, 133'],
  ['Float16Array', /\bFloat16Array\b/u, '18.2, 135, 129'],
  ['Intl.Segmenter', /\bIntl\.Segmenter\b/u, '14.1, 87, 125'],
  ['Intl.DurationFormat', /\bIntl\.DurationFormat\b/u, '16.4, 129, 136'],
  ['Temporal', /\bTemporal\.(?:Now|Instant|Plain\w+|Zoned\w+)/u, 'none, 144, 139'],
  ['a popover of the platform', /\.(?:show|hide|toggle)Popover\(/u, '17, 114, 125'],
  ['cookieStore', /\bcookieStore\b/u, '18.4, 87, 140'],
  ['crypto.randomUUID, which plain http does not have', /\bcrypto\.randomUUID\b/u, 'https alone'],
];

const newerStyle: readonly (readonly [name: string, found: RegExp, versions: string])[] = [
  ['a range in a media query', /@media[^{]*[<>]/u, '16.4, 104, 102'],
  ['light-dark()', /\blight-dark\(/u, '17.5, 123, 120'],
  ['a relative colour', /\b(?:rgb|hsl|oklch|oklab|lab|lch|color)\(from\s/u, '16.4, 119, 128'],
  ['nesting', /[{;}]\s*&[\s.:[>]/u, '17.2, 120, 117'],
  ['@scope', /@scope\b/u, '17.4, 118, 128'],
  ['anchors', /\b(?:anchor-name|position-anchor)\s*:|\banchor\(/u, '26, 125, 147'],
  ['if()', /:\s*if\(/u, 'none, 137, none'],
  ['@starting-style', /@starting-style\b/u, '17.5, 117, 129'],
];

/** `checkVisibility` is asked for by the popups' library where it is there. */
const guarded = /typeof \w+\.checkVisibility\s*==\s*[`'"]function[`'"]/u;

describe('[DF-92] the floor', () => {
  test.each(newerScript)('[DF-92] no built script needs %s', (_name, found) => {
    const users = builtAssets().filter((name) => name.endsWith('.js') && found.test(builtFile(`assets/${name}`)));
    expect(users).toEqual([]);
  });

  test('[DF-92] an element’s visibility is asked for only where a browser can tell it (Safari 17.4)', () => {
    const scripts = builtAssets()
      .filter((name) => name.endsWith('.js'))
      .map((name) => builtFile(`assets/${name}`));
    const unguarded = scripts.filter((text) => text.includes('.checkVisibility(') && !guarded.test(text));
    expect(unguarded).toEqual([]);
  });

  test.each(newerStyle)('[DF-92] no built style needs %s', (_name, found) => {
    // A style that asks whether it is understood needs nothing.
    const plain = (name: string) => builtFile(`assets/${name}`).replaceAll(/@supports[^{]*/gu, '');
    const users = builtAssets().filter((name) => name.endsWith('.css') && found.test(plain(name)));
    expect(users).toEqual([]);
  });

  test.each([
    ['the floor', true, true, true, false],
    ['Safari 16.3', false, true, true, true],
    ['Chrome 110', true, false, true, true],
    ['Firefox 114', true, true, false, true],
  ])(
    '[DF-92] a document in %s says so where it is too old',
    (_name, hasLookBehind, hasColorMix, hasToSorted, isTold) => {
      const marks: string[] = [];
      const context = {
        RegExp: hasLookBehind
          ? RegExp
          : () => {
              throw new SyntaxError('Invalid group');
            },
        Array: hasToSorted ? Array : { prototype: {} },
        CSS: { supports: () => hasColorMix },
        document: { documentElement: { setAttribute: (name: string) => marks.push(name) } },
      };
      runInNewContext(floorScript, context);
      expect(marks).toEqual(isTold ? ['data-below-floor'] : []);
    },
  );

  test.each(['index.html', 'auth/login/index.html', '__spa-fallback.html'])(
    '[DF-92] %s holds the sentence, out of sight until its script shows it',
    (name) => {
      const html = builtFile(name);
      expect(html).toContain(floorScript.slice(0, 40));
      expect(html).toMatch(
        /<p data-below-floor="" data-nosnippet="" style="display:none">Votre navigateur est trop ancien/u,
      );
    },
  );
});

describe('[DF-92] a page whose code cannot run', () => {
  const site = builtSite();
  const open = chromiumPages();

  test('[DF-92] is loaded anew three times at most, then says so; a new try counts from the beginning', async () => {
    let starts = 0;
    const { page } = await open('about:blank', {
      prepare: async (fresh) => {
        // As a newer call at the top of a module does in an old browser.
        await fresh.route(/\/assets\/dashboard-(?!layout)[^/]*\.js$/u, (route) =>
          route.fulfill({ contentType: 'text/javascript', body: 'Promise.isNotThere().then(); export default null;' }),
        );
        await fresh.route('**/commercial/dashboard', async (route) => {
          starts += 1;
          await route.continue();
        });
      },
    });
    await page.goto(`${site.origin()}/commercial/dashboard`);
    const sentence = page.getByRole('heading', { name: /^Cette page n’a pas pu s’ouvrir, malgré plusieurs essais/u });
    await expectPage(sentence).toBeVisible();
    expect(starts).toBe(4);
    await page.getByRole('link', { name: 'Réessayer' }).click();
    await expectPage.poll(() => starts).toBe(8);
    await expectPage(sentence).toBeVisible();
    await page.context().close();
  });
});
