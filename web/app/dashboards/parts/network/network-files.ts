import { zipSync } from 'fflate';
import { csvText } from '@parrain/domain/csv';
import { formatEuros, toWire } from '@parrain/domain/money';
import type { SaleAudience } from '@parrain/domain/sale';
import { countWords, kindWord, rowName, statusWord } from './row-words.ts';
import type { TreeRow } from './tree-rows.ts';

export interface NetworkFileOptions {
  rows: readonly TreeRow[];
  rootName: string;
  audience: SaleAudience;
}

const rowHeight = 30;
const width = 1000;
const margin = 24;
/** A canvas has a greatest height: a long tree becomes several pictures. */
const rowsOfPicture = 130;
const pictureScale = 2;

/** The open rows as a table of text: the level, then what each row shows. */
export function networkCsv({ rows, rootName, audience }: NetworkFileOptions): string {
  const head = [
    'Niveau',
    'Nom',
    'Type',
    'E-mail ou entreprise',
    'Statut',
    'Clients',
    'Parrainages',
    'Contrats validés',
    'Chiffre d’affaires',
    'Commissions',
  ];
  const lines = rows.map((row) => {
    const { node, totals, level } = row;
    const isBranch = node?.kind !== 'referral';
    return [
      String(level),
      csvText(rowName(row, rootName)),
      kindWord(row) ?? 'entreprise',
      csvText(node?.detail ?? ''),
      statusWord(row, audience) ?? '',
      String(node?.clients ?? ''),
      isBranch ? String(totals?.referrals ?? '') : '',
      isBranch ? String(totals?.contracts ?? '') : '',
      totals === null ? '' : toWire(totals.revenue).replace('.', ','),
      totals === null ? '' : toWire(totals.commissions).replace('.', ','),
    ].join(';');
  });
  return `\uFEFF${[head.join(';'), ...lines].join('\r\n')}\r\n`;
}

/** The open rows as one picture of lines: dark ink on white, whatever the theme, and no outside font. */
export function networkSvg({ rows, rootName, audience }: NetworkFileOptions): string {
  const places = new Map(rows.map((row, index) => [row.key, margin + rowHeight * (index + 0.5)]));
  const height = margin * 2 + rowHeight * rows.length;
  const drawn = rows.map((row) => {
    const y = places.get(row.key) ?? 0;
    const x = margin + (row.level - 1) * 24;
    const parentY = row.parentKey === null ? undefined : places.get(row.parentKey);
    // The parent may stand in the picture before this one.
    const line =
      row.parentKey === null
        ? ''
        : `<path d="M${x - 14} ${(parentY ?? 0) + 8}V${y}H${x - 4}" fill="none" stroke="#a9a396"/>`;
    const status = [kindWord(row), statusWord(row, audience), countWords(row)]
      .filter((word) => word !== null && word !== '')
      .join(' · ');
    const amounts =
      row.totals === null
        ? ''
        : `<text x="${width - margin}" y="${y + 4}" text-anchor="end">${escaped(`${formatEuros(row.totals.revenue)} · ${formatEuros(row.totals.commissions)}`)}</text>`;
    return (
      `<g>${line}<text x="${x}" y="${y + 4}"><tspan font-weight="600">${escaped(shortened(rowName(row, rootName)))}</tspan>` +
      `<tspan dx="10" fill="#555b6e">${escaped(status)}</tspan></text>${amounts}</g>`
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">` +
    `<title>${escaped(`Réseau : ${rootName}`)}</title>` +
    `<rect width="100%" height="100%" fill="#fff"/><g font-family="system-ui, sans-serif" font-size="13" fill="#1c2233">${drawn.join('')}</g></svg>`
  );
}

/** The same as a picture: several, as many as a canvas' height asks for, are one archive. */
export async function networkPicture(options: NetworkFileOptions): Promise<File> {
  return pictureFile(await networkPictures(options));
}

/** One file of however many pictures: of several handed to it in a row WebKit saves the last alone (DF-94). */
export async function pictureFile(pictures: readonly Blob[]): Promise<File> {
  const [only, ...others] = await Promise.all(pictures.map(async (one) => new Uint8Array(await one.arrayBuffer())));
  if (only === undefined) throw new Error('There is no picture');
  if (others.length === 0) return new File([only], 'Réseau.png', { type: 'image/png' });
  const named = [only, ...others].map((bytes, place) => [`Réseau ${place + 1}.png`, bytes] as const);
  // A PNG is compressed already.
  return new File([zipSync(Object.fromEntries(named), { level: 0 })], 'Réseau.zip', { type: 'application/zip' });
}

async function networkPictures(options: NetworkFileOptions): Promise<readonly Blob[]> {
  const pictures: Blob[] = [];
  for (let from = 0; from < options.rows.length; from += rowsOfPicture) {
    pictures.push(await pictureOf(networkSvg({ ...options, rows: options.rows.slice(from, from + rowsOfPicture) })));
  }
  return pictures;
}

async function pictureOf(svg: string): Promise<Blob> {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * pictureScale;
    canvas.height = image.naturalHeight * pictureScale;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, 'image/png');
    });
    if (blob === null) throw new Error('The browser drew no picture');
    return blob;
  } finally {
    URL.revokeObjectURL(address);
  }
}

function shortened(name: string): string {
  return name.length > 48 ? `${name.slice(0, 47)}…` : name;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// What XML cannot hold.
// oxlint-disable-next-line no-control-regex
const hostile = /[&<>"\u0000-\u0008\u000b-\u001f\ufffe\uffff]/gu;

function escaped(text: string): string {
  return text.replace(hostile, (sign) => entities[sign] ?? '');
}
