import * as messages from '../messages.ts';

/** The types a logo may have and the extension each is stored under (V-06). */
export const logoExtensions = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
} as const;
export type LogoType = keyof typeof logoExtensions;

export const logoTypes: readonly LogoType[] = ['image/jpeg', 'image/png', 'image/webp', 'image/svg+xml'];

/** 5 MB (V-06). */
export const logoBytesMax = 5 * 1024 * 1024;

/** The error of a chosen file before upload, null if it is valid. The server checks the content itself (V-06). */
export function logoIssue(file: { readonly type: string; readonly size: number }): string | null {
  if (!logoTypes.some((type) => type === file.type)) return messages.logoTypeRefused;
  return file.size > logoBytesMax ? messages.logoTooLarge : null;
}

/** The type of an image by its content, whatever its name says; null for what is not accepted as a logo (V-06). */
export function logoTypeOf(bytes: Uint8Array): LogoType | null {
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (startsWith(bytes, ascii('RIFF')) && startsWith(bytes.subarray(8), ascii('WEBP'))) return 'image/webp';
  return isSvg(bytes) ? 'image/svg+xml' : null;
}

// Prolog of an SVG: a byte order mark, the XML declaration, comments, a document type.
const svgStart =
  /^\ufeff?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--(?:[^-]|-(?!->)){0,2000}-->\s*){0,5}(?:<!DOCTYPE[^>[]{0,300}>\s*)?<svg[\s>/]/i;

function isSvg(bytes: Uint8Array): boolean {
  return svgStart.test(new TextDecoder().decode(bytes.subarray(0, 16_384)));
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}

function ascii(text: string): number[] {
  return [...text].map((character) => character.charCodeAt(0));
}
