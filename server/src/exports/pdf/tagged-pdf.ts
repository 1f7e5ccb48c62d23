import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brandOnPaper } from '@parrain/domain/brand-color';
import PDFDocument from 'pdfkit';

/** A paper as plain data: what stands on it, from the top. The same data gives the same bytes. */
export type PaperDocument = {
  /** Without anybody's name: it stands in the file's own description. */
  readonly title: string;
  /** The instant that the file says it was made at: one of the data, never of the clock. */
  readonly madeAt: Date;
  /** At the top of the first page, before the title. */
  readonly sender: string;
  /** At the foot of each page, before its number. */
  readonly footer: string;
  readonly blocks: readonly PaperBlock[];
  /** The invoice that it shows, as the XML of Factur-X in its profile EN 16931: embedded in the file. */
  readonly facturX?: string;
};

/** The company's look: its logo, a PNG or JPEG, and its colour, « #0b5a40 ». */
export type PaperLook = {
  readonly logo: Uint8Array | null;
  readonly color: string | null;
  /** Name that the logo says to who does not see it. */
  readonly name: string;
};

export type PaperBlock =
  | { readonly kind: 'text'; readonly text: string; readonly isNote?: boolean }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [label: string, value: string])[] }
  | PaperTable;

export type PaperTable = {
  readonly kind: 'table';
  readonly columns: readonly PaperColumn[];
  readonly rows: readonly PaperRow[];
};

export type PaperColumn = {
  readonly label: string;
  /** Its part of the page's width. */
  readonly share: number;
  readonly isNumber?: boolean;
};

export type PaperRow = {
  readonly cells: readonly string[];
  /** A total: in bold, under a line. */
  readonly isTotal?: boolean;
};

const require = createRequire(import.meta.url);
const FONTS = {
  regular: readFileSync(require.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf')),
  bold: readFileSync(require.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf')),
};
type FontName = keyof typeof FONTS;

const INK = '#1c1b19';
const SOFT = '#5f5b54';
const LINE = '#d9d4ca';
const MARGIN = 54;
const FOOTER_HEIGHT = 30;
const CELL_GAP = 10;
const CELL_PADDING = 5;
const LINE_GAP = 1.5;
const LOGO = { width: 130, height: 38 };
type LogoImage = { readonly width: number; readonly height: number };

/** Figures as wide as each other, so that a column of amounts is one to the eye. */
const NUMBER_FEATURES = ['tnum'] as unknown as PDFKit.Mixins.OpenTypeFeatures[];

type Look = { readonly font?: FontName; readonly size?: number; readonly color?: string; readonly isNumber?: boolean };
type Place = { readonly x: number; readonly y: number; readonly width: number };

/**
 * Writes PDF/A-3a: tagged for screen readers, French, fonts embedded, no date but that of the data. The head of a table that goes
 * on over a page is drawn again there.
 */
export async function taggedPdf(paper: PaperDocument, look: PaperLook | null = null): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    pdfVersion: '1.7',
    subset: 'PDF/A-3a' as 'PDF/A-3',
    tagged: true,
    lang: 'fr-FR',
    displayTitle: true,
    bufferPages: true,
    // Without it the library embeds a font of its own by name alone, which PDF/A forbids.
    font: null as unknown as string,
    info: { Title: paper.title, CreationDate: paper.madeAt, ModDate: paper.madeAt },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = once(doc, 'end');
  for (const [name, bytes] of Object.entries(FONTS)) doc.registerFont(name, bytes);
  const page = new PaperPage(doc);
  page.head(paper.sender, look);
  page.gap(16);
  page.text('H1', paper.title, { font: 'bold', size: 20 });
  page.gap(4);
  for (const block of paper.blocks) page.block(block);
  page.end(paper.footer);
  if (paper.facturX !== undefined) embedFacturX(doc, paper.facturX, paper.madeAt);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}

const FACTUR_X_FILE = 'factur-x.xml';

/** The XML beside the pages, which say the same; the file's description says what it is, and PDF/A asks for that description's own schema. */
function embedFacturX(doc: PDFKit.PDFDocument, xml: string, madeAt: Date): void {
  doc.file(Buffer.from(xml), {
    name: FACTUR_X_FILE,
    type: 'text/xml',
    relationship: 'Alternative',
    description: 'Factur-X',
    creationDate: madeAt,
    modifiedDate: madeAt,
  } as PDFKit.Mixins.PDFAttachmentOptions);
  const uri = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';
  const properties = [
    ['DocumentFileName', FACTUR_X_FILE, 'name of the embedded XML invoice file'],
    ['DocumentType', 'INVOICE', 'INVOICE'],
    ['Version', '1.0', 'The actual version of the Factur-X XML schema'],
    ['ConformanceLevel', 'EN 16931', 'The conformance level of the embedded Factur-X data'],
  ] as const;
  const described = properties.map(
    ([name, , description]) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>` +
      `<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${description}</pdfaProperty:description></rdf:li>`,
  );
  // The library has it; its types do not say so.
  const { metadata } = doc as unknown as { readonly metadata: { readonly append: (xmp: string) => void } };
  metadata.append(
    `<rdf:Description rdf:about="" xmlns:fx="${uri}">${properties.map(([name, value]) => `<fx:${name}>${value}</fx:${name}>`).join('')}</rdf:Description>` +
      '<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" ' +
      'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">' +
      '<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>' +
      `<pdfaSchema:namespaceURI>${uri}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>` +
      `<pdfaSchema:property><rdf:Seq>${described.join('')}</rdf:Seq></pdfaSchema:property>` +
      '</rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>',
  );
}

class PaperPage {
  readonly #doc: PDFKit.PDFDocument;
  readonly #root: PDFKit.PDFStructureElement;
  readonly #known = new Map<number, boolean>();
  readonly #widths = new Map<string, number>();
  readonly #width: number;
  #y = MARGIN;
  #isUnderHeading = false;

  constructor(doc: PDFKit.PDFDocument) {
    this.#doc = doc;
    this.#width = doc.page.width - 2 * MARGIN;
    this.#root = doc.struct('Document');
    doc.addStructure(this.#root);
    doc.font('regular');
  }

  gap(height: number): void {
    this.#y += height;
  }

  /** The sender, with the company's colour above and its logo beside it. */
  head(sender: string, look: PaperLook | null): void {
    const { color = null, logo = null, name = '' } = look ?? {};
    if (color !== null) {
      const [y, shade] = [MARGIN - 24, brandOnPaper(color)];
      this.#artifact(() => this.#doc.rect(MARGIN, y, this.#width, 2.5).fill(shade));
    }
    const isDrawn = logo !== null && this.#logo(logo, name);
    this.text(
      'P',
      sender,
      { font: 'bold', size: 11, color: SOFT },
      isDrawn ? this.#width - LOGO.width - CELL_GAP : this.#width,
    );
  }

  /** Draws the logo at the right of the first line; false where the library cannot read it, and nothing is drawn. */
  #logo(bytes: Uint8Array, name: string): boolean {
    try {
      // The library has it; its types do not say so.
      const image = (this.#doc as unknown as { readonly openImage: (from: Buffer) => LogoImage }).openImage(
        Buffer.from(bytes),
      );
      const scale = Math.min(LOGO.width / image.width, LOGO.height / image.height);
      const [width, height] = [image.width * scale, image.height * scale];
      const [x, y] = [MARGIN + this.#width - width, MARGIN - 12];
      const options = { alt: `Logo de ${name}`, bbox: [x, y, x + width, y + height] } as object;
      this.#root.add(
        this.#doc.struct('Figure', options, () => this.#doc.image(image as unknown as Buffer, x, y, { width, height })),
      );
      return true;
    } catch {
      return false;
    }
  }

  block(block: PaperBlock): void {
    this.#write(block);
    this.#isUnderHeading = block.kind === 'heading';
  }

  #write(block: PaperBlock): void {
    switch (block.kind) {
      case 'heading':
        // A heading never stands alone at the foot of a page.
        this.#room(110);
        this.gap(14);
        this.text('H2', block.text, { font: 'bold', size: 12.5 });
        this.gap(5);
        return;
      case 'text':
        this.gap(block.isNote === true ? 14 : 2);
        this.text('P', block.text, block.isNote === true ? { size: 8.5, color: SOFT } : { size: 10 });
        return;
      case 'facts':
        this.gap(this.#isUnderHeading ? 2 : 12);
        for (const [label, value] of block.facts) this.text('P', `${label}\u00a0: ${value}`, { size: 10 });
        return;
      case 'table':
        this.#table(block);
    }
  }

  /** A paragraph over the page's width. */
  text(tag: string, text: string, look: Look, width = this.#width): void {
    const shown = this.#shown(text);
    const height = this.#height(shown, width, look);
    this.#room(height);
    const place = { x: MARGIN, y: this.#y, width };
    this.#root.add(this.#doc.struct(tag, {}, () => this.#draw(shown, place, look)));
    this.#y += height + 2;
  }

  #table({ columns, rows }: PaperTable): void {
    const whole = columns.reduce((sum, { share }) => sum + share, 0);
    let x = MARGIN;
    const places = columns.map(({ share }, place) => {
      const width = (share / whole) * this.#width;
      x += width;
      return { x: x - width, width: place === columns.length - 1 ? width : width - CELL_GAP };
    });
    const lookOf = (place: number, bold: boolean): Look => ({
      size: 9,
      ...(bold ? { font: 'bold' as const } : {}),
      ...(columns[place]?.isNumber === true ? { isNumber: true } : {}),
    });
    const heightOf = (cells: readonly string[], bold: boolean): number =>
      Math.max(...cells.map((cell, place) => this.#height(cell, places[place]?.width ?? 0, lookOf(place, bold)))) +
      2 * CELL_PADDING;
    const drawCells = (
      cells: readonly string[],
      bold: boolean,
      draw: (write: () => void, place: number) => void,
    ): void => {
      for (const [place, cell] of cells.entries()) {
        const at = places[place];
        if (at === undefined) throw new Error('A row has more cells than the table has columns');
        draw(() => this.#draw(cell, { ...at, y: this.#y + CELL_PADDING }, lookOf(place, bold)), place);
      }
    };
    const labels = columns.map(({ label }) => this.#shown(label));
    const headHeight = heightOf(labels, true);

    const table = this.#doc.struct('Table');
    this.#root.add(table);
    const head = this.#doc.struct('THead');
    table.add(head);
    const headRow = this.#doc.struct('TR');
    head.add(headRow);
    this.#room(headHeight + 40);
    drawCells(labels, true, (write) => headRow.add(this.#doc.struct('TH', { scope: 'Column' } as object, write)));
    headRow.end();
    head.end();
    this.#y += headHeight;
    this.#line(INK, 0.8);

    const body = this.#doc.struct('TBody');
    table.add(body);
    for (const { cells: texts, isTotal = false } of rows) {
      const cells = texts.map((text) => this.#shown(text));
      const height = heightOf(cells, isTotal);
      if (this.#isFull(height)) {
        this.#nextPage();
        // Read once, seen on each page.
        this.#artifact(() => drawCells(labels, true, (write) => write()));
        this.#y += headHeight;
        this.#line(INK, 0.8);
      }
      const row = this.#doc.struct('TR');
      body.add(row);
      // The first cell names its row, as on screen.
      drawCells(cells, isTotal, (write, place) =>
        row.add(
          place === 0 ? this.#doc.struct('TH', { scope: 'Row' } as object, write) : this.#doc.struct('TD', {}, write),
        ),
      );
      row.end();
      this.#y += height;
      this.#line(isTotal ? INK : LINE, isTotal ? 0.8 : 0.5);
    }
    body.end();
    table.end();
  }

  /** The foot of each page, when their number is known. */
  end(footer: string): void {
    this.#root.end();
    const { start, count } = this.#doc.bufferedPageRange();
    const shown = this.#shown(footer);
    for (let number = 0; number < count; number += 1) {
      this.#doc.switchToPage(start + number);
      // Below the margin the library would begin a page.
      this.#doc.page.margins.bottom = 0;
      const y = this.#doc.page.height - MARGIN + 12;
      const look = { size: 8, color: SOFT };
      this.#artifact(() => {
        this.#draw(shown, { x: MARGIN, y, width: this.#width - 90 }, look, 1);
        const place = { x: MARGIN + this.#width - 80, y, width: 80 };
        this.#draw(`Page ${number + 1} sur ${count}`, place, { ...look, isNumber: true });
      });
    }
  }

  #isFull(height: number): boolean {
    return this.#y + height > this.#doc.page.height - MARGIN - FOOTER_HEIGHT + 20;
  }

  #room(height: number): void {
    if (this.#isFull(height)) this.#nextPage();
  }

  #nextPage(): void {
    this.#doc.addPage();
    this.#y = MARGIN;
  }

  #style({ font = 'regular', size = 10, color = INK }: Look): void {
    this.#doc.font(font).fontSize(size).fillColor(color);
  }

  #height(text: string, width: number, look: Look): number {
    this.#style(look);
    if (this.#widthOf(text, look) <= width) return this.#doc.currentLineHeight(true) + LINE_GAP;
    return this.#doc.heightOfString(text, this.#options(width, look));
  }

  /** Most cells are one line: adding up their signs' widths is far cheaper than having the library break lines. */
  #widthOf(text: string, { font = 'regular', size = 10, isNumber = false }: Look): number {
    if (text.includes('\n')) return Number.POSITIVE_INFINITY;
    let width = 0;
    for (const sign of text) {
      const key = `${font}${isNumber ? '#' : ''}${sign}`;
      let known = this.#widths.get(key);
      if (known === undefined) {
        this.#doc.font(font).fontSize(1000);
        known = this.#doc.widthOfString(sign, isNumber ? { features: NUMBER_FEATURES } : {});
        this.#widths.set(key, known);
        this.#doc.fontSize(size);
      }
      width += known;
    }
    return (width * size) / 1000;
  }

  #draw(text: string, { x, y, width }: Place, look: Look, lines?: number): void {
    this.#style(look);
    const own = this.#widthOf(text, look);
    if (own <= width) {
      const features = look.isNumber === true ? { features: NUMBER_FEATURES } : {};
      this.#doc.text(text, look.isNumber === true ? x + width - own : x, y, { lineBreak: false, ...features });
      return;
    }
    const cut = lines === undefined ? {} : { height: lines * 14, ellipsis: true };
    this.#doc.text(text, x, y, { ...this.#options(width, look), ...cut });
  }

  #options(width: number, { isNumber = false }: Look): PDFKit.Mixins.TextOptions {
    return { width, lineGap: LINE_GAP, ...(isNumber ? { align: 'right', features: NUMBER_FEATURES } : {}) };
  }

  #line(color: string, weight: number): void {
    this.#artifact(() => {
      this.#doc
        .moveTo(MARGIN, this.#y)
        .lineTo(MARGIN + this.#width, this.#y)
        .lineWidth(weight)
        .strokeColor(color)
        .stroke();
    });
  }

  #artifact(draw: () => void): void {
    this.#doc.markContent('Artifact', { type: 'Layout' } as object);
    draw();
    this.#doc.endMarkedContent();
  }

  /** A sign that the font has no picture of becomes « ? »: PDF/A forbids an empty box. */
  #shown(text: string): string {
    // NFC: an accent that was typed apart has a picture with its letter.
    return [...text.normalize('NFC')].map((sign) => (this.#hasPicture(sign) ? sign : '?')).join('');
  }

  #hasPicture(sign: string): boolean {
    const point = sign.codePointAt(0) ?? 0;
    const known = this.#known.get(point);
    if (known !== undefined) return known;
    const { font } = (this.#doc.font('regular') as unknown as Record<typeof CURRENT_FONT, { font: FontkitFont }>)[
      CURRENT_FONT
    ];
    const has = sign === '\n' || font.hasGlyphForCodePoint(point);
    this.#known.set(point, has);
    return has;
  }
}

/** Private property of the library that holds the current font; its types leave it out. */
const CURRENT_FONT = '_font';
type FontkitFont = { readonly hasGlyphForCodePoint: (point: number) => boolean };
