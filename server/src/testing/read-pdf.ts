import { PDFArray, PDFDict, PDFDocument, PDFHexString, PDFName, PDFRawStream, PDFString } from 'pdf-lib';
import type { PDFObject } from 'pdf-lib';
import { getDocumentProxy } from 'unpdf';
import { inflateSync } from 'node:zlib';

/** Contents of a PDF: its description, its fonts, its tags, its text. */
export type ReadPdf = {
  readonly version: string;
  readonly lang: string | undefined;
  readonly isMarked: boolean;
  readonly showsTitle: boolean;
  readonly title: string | undefined;
  readonly pdfaPart: string | undefined;
  readonly pdfaConformance: string | undefined;
  /** The description as XML. */
  readonly xmp: string;
  readonly outputIntents: number;
  readonly fonts: readonly { readonly name: string; readonly isEmbedded: boolean; readonly hasUnicode: boolean }[];
  /** The tags below « Document », each before those within it. */
  readonly tags: readonly string[];
  /** Scope of each head cell. */
  readonly headScopes: readonly (string | undefined)[];
  /** The files within it that stand beside its pages (AF). */
  readonly attachments: readonly {
    readonly name: string | undefined;
    readonly relationship: string | undefined;
    readonly type: string | undefined;
    readonly content: string;
  }[];
  /** The text of each page, and of all of them. */
  readonly pages: readonly string[];
  readonly text: string;
};

/** The scopes of the head cells that the rows of its tables have, one each, but for the head row of each table. */
export function rowHeads({ tags }: Pick<ReadPdf, 'tags'>): readonly string[] {
  const count = (tag: string): number => tags.filter((one) => one === tag).length;
  return Array.from({ length: count('TR') - count('Table') }, () => 'Row');
}

/** Reads a PDF with two parsers that are not the library that wrote it: one for its objects, one for its text. */
export async function readPdf(bytes: Buffer): Promise<ReadPdf> {
  const doc = await PDFDocument.load(bytes, { updateMetadata: false });
  const { catalog, context } = doc;
  const resolved = (object: PDFObject | undefined): PDFObject | undefined =>
    object === undefined ? undefined : context.lookup(object);
  const textOf = (object: PDFObject | undefined): string | undefined => {
    const value = resolved(object);
    if (value instanceof PDFString || value instanceof PDFHexString) return value.decodeText();
    return value instanceof PDFName ? value.decodeText() : undefined;
  };
  const dict = (object: PDFObject | undefined): PDFDict | undefined => {
    const value = resolved(object);
    return value instanceof PDFDict ? value : undefined;
  };
  const get = (of: PDFDict | undefined, key: string): PDFObject | undefined => of?.get(PDFName.of(key));
  const array = (object: PDFObject | undefined): readonly PDFObject[] => {
    const value = resolved(object);
    return value instanceof PDFArray ? value.asArray() : [];
  };

  const fonts = new Map<string, ReadPdf['fonts'][number]>();
  for (const [, object] of context.enumerateIndirectObjects()) {
    const font = dict(object);
    if (font === undefined || textOf(get(font, 'Type')) !== 'Font' || textOf(get(font, 'Subtype')) !== 'Type0')
      continue;
    const descendant = dict(array(get(font, 'DescendantFonts'))[0]);
    const descriptor = dict(get(descendant, 'FontDescriptor'));
    const name = textOf(get(font, 'BaseFont')) ?? '';
    fonts.set(name, {
      name,
      isEmbedded: ['FontFile2', 'FontFile3'].some((key) => resolved(get(descriptor, key)) instanceof PDFRawStream),
      hasUnicode: resolved(get(font, 'ToUnicode')) instanceof PDFRawStream,
    });
  }
  // A font without a file of its own would be one of the reader's.
  for (const [, object] of context.enumerateIndirectObjects()) {
    const font = dict(object);
    if (font === undefined || textOf(get(font, 'Type')) !== 'Font') continue;
    if (!['Type0', 'CIDFontType0', 'CIDFontType2'].includes(textOf(get(font, 'Subtype')) ?? '')) {
      const name = textOf(get(font, 'BaseFont')) ?? '';
      fonts.set(name, { name, isEmbedded: false, hasUnicode: false });
    }
  }

  const tags: string[] = [];
  const headScopes: (string | undefined)[] = [];
  const walk = (object: PDFObject): void => {
    const element = dict(object);
    const tag = textOf(get(element, 'S'));
    if (tag === undefined) return;
    tags.push(tag);
    if (tag === 'TH') headScopes.push(textOf(get(dict(get(element, 'A')), 'Scope')));
    const children = resolved(get(element, 'K'));
    for (const child of children instanceof PDFArray ? children.asArray() : children === undefined ? [] : [children]) {
      walk(child);
    }
  };
  const roots = resolved(get(dict(get(catalog, 'StructTreeRoot')), 'K'));
  for (const root of roots instanceof PDFArray ? roots.asArray() : roots === undefined ? [] : [roots]) walk(root);

  const attachments = array(get(catalog, 'AF')).map((object) => {
    const file = dict(object);
    const stream = resolved(get(dict(get(file, 'EF')), 'F'));
    return {
      name: textOf(get(file, 'UF')),
      relationship: textOf(get(file, 'AFRelationship')),
      type: stream instanceof PDFRawStream ? textOf(stream.dict.get(PDFName.of('Subtype'))) : undefined,
      content: stream instanceof PDFRawStream ? contentOf(stream) : '',
    };
  });
  const metadata = resolved(get(catalog, 'Metadata'));
  const xmp = metadata instanceof PDFRawStream ? contentOf(metadata) : '';
  const pages = await pagesOf(bytes);
  return {
    version: /^%PDF-(\d\.\d)/u.exec(bytes.toString('latin1', 0, 12))?.[1] ?? '',
    lang: textOf(get(catalog, 'Lang')),
    isMarked: String(get(dict(get(catalog, 'MarkInfo')), 'Marked')) === 'true',
    showsTitle: String(get(dict(get(catalog, 'ViewerPreferences')), 'DisplayDocTitle')) === 'true',
    title: doc.getTitle(),
    pdfaPart: /<pdfaid:part>(\d)</u.exec(xmp)?.[1],
    pdfaConformance: /<pdfaid:conformance>(\w)</u.exec(xmp)?.[1],
    xmp,
    outputIntents: array(get(catalog, 'OutputIntents')).length,
    fonts: [...fonts.values()],
    tags: tags[0] === 'Document' ? tags.slice(1) : tags,
    headScopes,
    attachments,
    pages,
    text: pages.join('\n'),
  };
}

function contentOf(stream: PDFRawStream): string {
  const isPacked = String(stream.dict.get(PDFName.of('Filter'))) === '/FlateDecode';
  return Buffer.from(isPacked ? inflateSync(stream.contents) : stream.contents).toString('utf8');
}

async function pagesOf(bytes: Buffer): Promise<string[]> {
  const doc = await getDocumentProxy(new Uint8Array(bytes));
  const pages: string[] = [];
  for (let number = 1; number <= doc.numPages; number += 1) {
    const { items } = await (await doc.getPage(number)).getTextContent();
    pages.push(
      items
        .map((item) => ('str' in item ? item.str : ''))
        .filter((text) => text.trim() !== '')
        .join(' ')
        .replaceAll(/ +/gu, ' '),
    );
  }
  return pages;
}
