import { writeXlsx } from 'hucre/xlsx';
import { describe, expect, test } from 'vitest';

import { readFileAside } from './read-thread.ts';
import { readTable } from './read-table.ts';

const read = (file: Uint8Array) => readTable(file, 20_000);
const utf8 = (text: string) => new TextEncoder().encode(text);
/** Windows-1252, where each of these letters has the number that it has in Latin-1. */
const windows = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return Uint8Array.from(isBigEndian ? bytes.swap16() : bytes);
};

const text = 'Prénom;Nom;E-mail\r\nZoë;Lefèvre;zoe@exemple.fr\r\n';
const table = {
  titles: ['Prénom', 'Nom', 'E-mail'],
  lines: [{ number: 2, cells: ['Zoë', 'Lefèvre', 'zoe@exemple.fr'] }],
};

describe('a CSV', () => {
  test.for([
    ['UTF-8', utf8(text)],
    ['UTF-8 with its mark', utf8(`\uFEFF${text}`)],
    ['Windows-1252', windows(text)],
    ['UTF-16 with its mark', utf16(`\uFEFF${text}`)],
    ['UTF-16 of the other order with its mark', utf16(`\uFEFF${text}`, true)],
    ['UTF-16 without a mark', utf16(text)],
    ['UTF-16 of the other order without a mark', utf16(text, true)],
  ] as const)('[EX-04] of %s is read as it was written', async ([, file]) => {
    expect(await read(file)).toEqual(table);
  });

  test.for([';', ',', '\t', '|'])('[EX-04] may separate its cells by « %s »', async (mark) => {
    expect(await read(utf8(text.replaceAll(';', mark)))).toEqual(table);
  });

  test('[EX-04] may say its separator in Excel’s own first line, and lines keep the number that Excel shows', async () => {
    const file = utf8('sep=,\r\nNom,E-mail\r\n\r\n"Dupont; et fils",a@exemple.fr\r\n');
    expect(await read(file)).toEqual({
      titles: ['Nom', 'E-mail'],
      lines: [{ number: 4, cells: ['Dupont; et fils', 'a@exemple.fr'] }],
    });
  });

  test('[EX-04] without titles has its first person in its first line', async () => {
    expect(await read(utf8('Zoë,zoe@exemple.fr\nPaul,paul@exemple.fr'))).toEqual({
      titles: ['Colonne 1', 'Colonne 2'],
      lines: [
        { number: 1, cells: ['Zoë', 'zoe@exemple.fr'] },
        { number: 2, cells: ['Paul', 'paul@exemple.fr'] },
      ],
    });
  });

  test('[EX-04] may have separators and line ends inside of quotes, and lines of other lengths', async () => {
    expect(await read(utf8('Nom;Notes;E-mail\n"Du""pont";"une\nautre; ligne"\nB;;b@x.fr;de trop\n'))).toMatchObject({
      lines: [
        { number: 2, cells: ['Du"pont', 'une\nautre; ligne'] },
        { number: 3, cells: ['B', '', 'b@x.fr', 'de trop'] },
      ],
    });
  });

  test('[EX-04] with a character that no database keeps is read, and its cell is then refused by the form', async () => {
    expect(await read(utf8('Nom;E-mail\nA\0B;a@exemple.fr'))).toMatchObject({
      lines: [{ cells: ['A\u0001B', 'a@exemple.fr'] }],
    });
  });
});

describe('an XLSX', () => {
  test('[EX-04] gives its first sheet: numbers, days and empty lines as a person sees them', async () => {
    const rows = [
      ['Nom', 'E-mail', 'Tél', 'Depuis'],
      ['Zoë', 'zoe@exemple.fr', 612_345_678, new Date('2026-01-02')],
      [],
      ['Paul', 'p@x.fr', null, true],
    ];
    expect(
      await read(
        await writeXlsx({
          sheets: [
            { name: 'A', rows },
            { name: 'B', rows: [['autre']] },
          ],
        }),
      ),
    ).toEqual({
      titles: ['Nom', 'E-mail', 'Tél', 'Depuis'],
      lines: [
        { number: 2, cells: ['Zoë', 'zoe@exemple.fr', '612345678', '02/01/2026'] },
        { number: 4, cells: ['Paul', 'p@x.fr', '', 'true'] },
      ],
    });
  });

  test('[EX-04] that unpacks to more than any list of people is refused before it is unpacked', async () => {
    const file = Buffer.from(await writeXlsx({ sheets: [{ name: 'A', rows: [['Nom'], ['a']] }] }));
    const entry = file.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
    file.writeUInt32LE(65 * 1024 * 1024, entry + 24);
    expect(await read(file)).toBe('unknown');
  });

  test('[EX-04] that unpacks to more than it declares is refused', async () => {
    const rows = [['Nom'], ...Array.from({ length: 1000 }, (_, n) => [`Une personne ${n}`])];
    const file = Buffer.from(await writeXlsx({ sheets: [{ name: 'A', rows }] }));
    const entry = Buffer.from([0x50, 0x4b, 0x01, 0x02]);
    for (let at = file.indexOf(entry); at >= 0; at = file.indexOf(entry, at + 4)) file.writeUInt32LE(10, at + 24);
    expect(await read(file)).toBe('unknown');
  });
});

test('[EX-04] a file that is none, has nothing, or has too many lines is said to be that', async () => {
  await expect(readFileAside(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0, 1, 2, 3]), 10)).rejects.toMatchObject({
    code: expect.stringMatching(/^import_(?:file_unknown|empty)$/u),
  });
  await expect(readFileAside(Buffer.from('PK\u0003\u0004 rien'), 10)).rejects.toMatchObject({
    code: 'import_file_unknown',
  });
  await expect(readFileAside(Buffer.from(`Nom;E-mail\n"${'a;'.repeat(100_000)}`), 10)).rejects.toMatchObject({
    code: 'import_file_unknown',
  });
  for (const nothing of ['', '\n\n;;\n', 'Nom;E-mail\n;\n']) {
    await expect(readFileAside(Buffer.from(nothing), 10)).rejects.toMatchObject({ code: 'import_empty' });
  }
  const lines = Array.from({ length: 11 }, (_, n) => `N${n};n${n}@x.fr`).join('\n');
  await expect(readFileAside(Buffer.from(`Nom;E-mail\n${lines}`), 10)).rejects.toMatchObject({
    code: 'import_too_long',
    params: { most: 10 },
  });
  expect((await readFileAside(Buffer.from(`Nom;E-mail\n${lines}`), 11)).lines).toHaveLength(11);
});
