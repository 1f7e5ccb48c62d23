/**
 * The spaces of French typography, put where a plain text has ordinary ones: U+202F before « ; ! ? », U+00A0 before
 * « : », inside guillemets and before « € % ». No letter and no sign is changed: the specification's texts stay its own.
 */
export function french(text: string): string {
  return text
    .replace(/ ([;!?])/gu, '\u202f$1')
    .replace(/ ([:»])/gu, '\u00a0$1')
    .replaceAll('« ', '«\u00a0')
    .replace(/(\d) ([€%])/gu, '$1\u00a0$2');
}
