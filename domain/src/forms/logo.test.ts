import { expect, test } from 'vitest';
import { logoBytesMax, logoIssue, logoTypeOf } from './logo.ts';

const bytes = (text: string) => Uint8Array.from([...text].map((character) => character.charCodeAt(0)));

test('[V-06] JPEG, PNG, WEBP and SVG, of at most 5 MB', () => {
  expect(logoBytesMax).toBe(5_242_880);
  for (const type of ['image/jpeg', 'image/png', 'image/webp', 'image/svg+xml']) {
    expect(logoIssue({ type, size: logoBytesMax })).toBeNull();
    expect(logoIssue({ type, size: logoBytesMax + 1 })).toBe('Le fichier est trop volumineux. Maximum 5MB.');
  }
  for (const type of ['image/gif', 'application/pdf', 'text/html', '']) {
    expect(logoIssue({ type, size: 1 })).toBe('Type de fichier non autorisé. Utilisez JPG, PNG, WEBP ou SVG.');
  }
});

test.each([
  [bytes('\xff\xd8\xff\xe0'), 'image/jpeg'],
  [bytes('\x89PNG\r\n\x1a\n'), 'image/png'],
  [bytes('RIFF\x10\x00\x00\x00WEBPVP8 '), 'image/webp'],
  [bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'],
  [bytes('\xef\xbb\xbf<?xml version="1.0"?>\n<!-- a - b -->\n<svg>'), 'image/svg+xml'],
  [bytes('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">\n<svg>'), 'image/svg+xml'],
] as const)('[V-06] the type is read in the content', (content, type) => {
  expect(logoTypeOf(content)).toBe(type);
});

test.each([
  bytes(''),
  bytes('GIF89a'),
  bytes('%PDF-1.7'),
  bytes('RIFF\x10\x00\x00\x00WAVEfmt '),
  bytes('<html><svg></svg></html>'),
  bytes('<svgx>'),
  bytes('\x89PNG'),
  bytes('<!DOCTYPE svg [<!ENTITY a "b">]><svg>'),
  new Uint8Array(20_000).fill(0x3c),
  bytes(`<!--${'-'.repeat(10_000)}`),
])('[V-06] a file of another kind is refused, whatever its name', (content) => {
  const start = process.cpuUsage();
  expect(logoTypeOf(content)).toBeNull();
  // Time of this process alone, whatever else the machine does; far below what backtracking over such a text takes.
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
