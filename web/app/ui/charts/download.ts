/** A cell of a table to export: a text, or a number written as French software reads it (« 1234,56 »). */
export type Cell = string | { number: string };

/** CSV for French Excel: BOM, semicolons, CRLF; a text that would be taken for a formula is defused. */
export function csvOf(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head, ...rows].map((row) => row.map(fieldOf).join(';'));
  return `\ufeff${lines.join('\r\n')}\r\n`;
}

function fieldOf(cell: Cell): string {
  const text = typeof cell === 'string' ? cell.replace(/^[=+\-@\t\r]/u, "'$&") : cell.number;
  return /[";\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Longer than a browser takes to read a file that it was handed. */
const keptMs = 60_000;

/** Hands one file to the browser's downloads; of several in a row WebKit keeps the last. Its address lives on: WebKit reads it later. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), keptMs);
}

const copiedProperties = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-family',
  'font-size',
  'font-weight',
  'opacity',
  'text-anchor',
];

/** The drawing as it is on screen, able to stand alone: the tokens it is coloured by stay behind in the page. */
export function standaloneSvg(drawing: SVGSVGElement): string {
  const clone = drawing.cloneNode(true) as SVGSVGElement;
  const [, , width, height] = (drawing.getAttribute('viewBox') ?? '').split(' ');
  clone.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  clone.setAttribute('width', width ?? '');
  clone.setAttribute('height', height ?? '');
  const copies = [clone, ...clone.querySelectorAll('*')];
  for (const [index, node] of [drawing, ...drawing.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(node);
    const copy = copies[index];
    copy?.removeAttribute('class');
    for (const name of copiedProperties) copy?.setAttribute(name, style.getPropertyValue(name));
  }
  const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
  paper.setAttribute('width', '100%');
  paper.setAttribute('height', '100%');
  paper.setAttribute('fill', getComputedStyle(drawing.closest('figure') ?? document.body).backgroundColor);
  clone.prepend(paper);
  return new XMLSerializer().serializeToString(clone);
}

const pngScale = 2;

/** The drawing as a picture of twice its size. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * pngScale;
  canvas.height = image.naturalHeight * pngScale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture could not be made'))), 'image/png');
  });
}
