/** A piece of HTML that is known to be safe; everything else that enters a mail is text, and escaped. */
export type Html = { readonly html: string };

/** HTML whose holes are escaped unless they are HTML themselves: what people write stays text in every mail (rows 62, 65). */
export function html(strings: TemplateStringsArray, ...holes: readonly (string | Html | readonly Html[])[]): Html {
  return { html: strings.reduce((done, part, index) => done + htmlOf(holes[index - 1] ?? '') + part) };
}

function htmlOf(hole: string | Html | readonly Html[]): string {
  if (typeof hole === 'string') return escaped(hole);
  if ('html' in hole) return hole.html;
  return hole.map((piece) => piece.html).join('');
}

/** Text as it stands in HTML, between tags and in quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/gu, (character) => ENTITIES[character] ?? '');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text of several lines, its line breaks kept. */
export function lines(text: string): Html {
  return { html: text.split('\n').map(escaped).join('<br>') };
}

/** A constant of the program's own, known to be HTML: never what anybody wrote. */
export function raw(constant: string): Html {
  return { html: constant };
}
