/**
 * The oldest browsers that the application is written for (docs/decisions/0080-browsers-it-is-written-for.md). `web/tests/floor.test.ts`
 * refuses what they do not have in the built web.
 */
export const belowFloorSentence =
  'Votre navigateur est trop ancien pour que tout fonctionne ici. Mettez-le à jour : Safari ou iOS 16.4, Chrome ou Edge 111, Firefox 115, ou plus récent.';

/**
 * Marks the document in an older browser. Written for browsers older still: the look-behind came with Safari 16.4, `color-mix` with
 * Chrome 111, `toSorted` with Firefox 115.
 */
export const floorScript = `try{new RegExp('(?<=a)b');if(!Array.prototype.toSorted||!CSS.supports('color','color-mix(in srgb,red,red)'))throw 0}catch(e){document.documentElement.setAttribute('data-below-floor','')}`;
