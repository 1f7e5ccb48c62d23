import type { TextEncoding } from '@parrain/domain/table-file';

/** A text, and how it was read. */
export type ReadText = {
  readonly text: string;
  readonly encoding: TextEncoding;
  /** Line breaks before the first character that is of another encoding than the rest; null where all is of one. */
  readonly oddAfterLines: number | null;
};

/** The letters of DOS in Western Europe from byte 128 on: Excel's « CSV (MS-DOS) ». No decoder of the platform has them. */
const DOS =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00AD±‗¾¶§÷¸°¨·¹³²■\u00A0';

/** Approximate frequencies of characters in French: they tell which of several readings of the same bytes is French. */
const FRENCH = new Map(
  (
    [
      [15, 'é'],
      [5, 'àè'],
      [4, 'ë'],
      [3, 'ï’'],
      [2, 'êçÉ«»\u00A0'],
      [1, 'îôûùâüöäñœÈÀÇÊË€°'],
    ] as const
  ).flatMap(([weight, letters]) => [...letters].map((letter) => [letter, weight] as const)),
);
const ONE_BYTE = ['windows-1252', 'macintosh', 'cp850'] as const;
const SAMPLE_BYTES = 400;

/**
 * Reads a text. Its mark says the encoding; without one UTF-16 has a zero in every other place, what is mostly UTF-8 is UTF-8, and of
 * the alphabets of one byte it is the one in which the text is most French.
 */
export function textOfFile(file: Uint8Array, chosen?: TextEncoding): ReadText {
  const encoding = chosen ?? encodingOf(file);
  switch (encoding) {
    case 'utf-8':
      return utf8(file);
    case 'cp850':
      return { text: dos(file), encoding, oddAfterLines: null };
    default:
      return { text: new TextDecoder(encoding).decode(file), encoding, oddAfterLines: null };
  }
}

function encodingOf(file: Uint8Array): TextEncoding {
  if (file[0] === 0xff && file[1] === 0xfe) return 'utf-16le';
  if (file[0] === 0xfe && file[1] === 0xff) return 'utf-16be';
  const start = file.subarray(0, SAMPLE_BYTES);
  const zeros = (parity: number): number => start.filter((byte, place) => byte === 0 && place % 2 === parity).length;
  if (zeros(1) > start.length / 4) return 'utf-16le';
  if (zeros(0) > start.length / 4) return 'utf-16be';
  const { letters, odd } = utf8Places(file);
  // One byte of another program’s, pasted into a UTF-8 file, does not make it Windows’.
  if (odd.length <= letters) return 'utf-8';
  const counts = new Map<number, number>();
  for (const byte of file) if (byte > 127) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  const isFrench = (one: (typeof ONE_BYTE)[number]): number =>
    [...counts].reduce((sum, [byte, count]) => sum + count * (FRENCH.get(characterOf(byte, one)) ?? 0), 0);
  return ONE_BYTE.map((one) => ({ one, score: isFrench(one) })).reduce((best, next) =>
    next.score > best.score ? next : best,
  ).one;
}

function characterOf(byte: number, encoding: (typeof ONE_BYTE)[number]): string {
  return encoding === 'cp850' ? (DOS[byte - 128] ?? '') : new TextDecoder(encoding).decode(Uint8Array.of(byte));
}

function dos(file: Uint8Array): string {
  let text = '';
  for (const byte of file) text += byte < 128 ? String.fromCodePoint(byte) : DOS[byte - 128];
  return text;
}

/** Number of multibyte characters in a text, and places of the bytes that belong to none. */
function utf8Places(file: Uint8Array): { readonly letters: number; readonly odd: readonly number[] } {
  let letters = 0;
  const odd: number[] = [];
  let at = 0;
  while (at < file.length) {
    const length = utf8Length(file, at);
    if (length === 0) odd.push(at);
    else if (length > 1) letters += 1;
    at += Math.max(length, 1);
  }
  return { letters, odd };
}

/** Length in bytes of the character at a place; 0 where it is not valid UTF-8. */
function utf8Length(file: Uint8Array, at: number): number {
  const lead = file[at] ?? 0;
  if (lead < 0x80) return 1;
  const length = lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length === 0 || lead > 0xf4) return 0;
  for (let next = 1; next < length; next += 1) if (((file[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

/** UTF-8, where a byte that is none is read as Windows has it. */
function utf8(file: Uint8Array): ReadText {
  const { odd } = utf8Places(file);
  const [first] = odd;
  const decoder = new TextDecoder('utf-8');
  if (first === undefined) return { text: decoder.decode(file), encoding: 'utf-8', oddAfterLines: null };
  const windows = new TextDecoder('windows-1252');
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const place of odd) {
    pieces.push(file.subarray(from, place), Buffer.from(windows.decode(file.subarray(place, place + 1))));
    from = place + 1;
  }
  pieces.push(file.subarray(from));
  const breaks =
    Buffer.from(file.subarray(0, first))
      .toString('latin1')
      .split(/\r\n|\n|\r/u).length - 1;
  return { text: decoder.decode(Buffer.concat(pieces)), encoding: 'utf-8', oddAfterLines: breaks };
}
