import { importFieldsOf } from '@parrain/domain/forms/import';
import { isKnownTitle } from '@parrain/domain/forms/import-file';
import type { TableChoice } from '@parrain/domain/table-file';
import { writeOds } from 'hucre/ods';
import { writeXlsx } from 'hucre/xlsx';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import { readLines } from './read-lines.ts';
import { readFileAside } from './read-thread.ts';
import { titled } from './titled.ts';

const isKnown = (title: string) => isKnownTitle(importFieldsOf.clients, title);
const tableOf = async (file: Uint8Array, choice: TableChoice = {}, header: number | null = null) => {
  const { lines, reading } = await readLines(file, 20_000, choice);
  return { ...titled(lines, isKnown, header), reading };
};
const read = async (file: Uint8Array, choice: TableChoice = {}, header: number | null = null) => {
  const { titles, lines } = await tableOf(file, choice, header);
  return { titles, lines };
};
const aside = (file: Uint8Array, linesMax = 20_000, personId = 'a') =>
  readFileAside({ personId, file: Buffer.from(file), linesMax, unknown: 'import_file_unknown' });
const utf8 = (text: string) => new TextEncoder().encode(text);
/** Windows-1252, where each of these letters has the number that it has in Latin-1. */
const windows = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const utf16 = (text: string, isBigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return Uint8Array.from(isBigEndian ? bytes.swap16() : bytes);
};

const written = 'Prénom;Nom;E-mail\r\nZoë;Lefèvre;zoe@exemple.fr\r\n';
const table = {
  titles: ['Prénom', 'Nom', 'E-mail'],
  lines: [{ number: 2, cells: ['Zoë', 'Lefèvre', 'zoe@exemple.fr'] }],
};

describe('a CSV', () => {
  test.for([
    ['UTF-8', utf8(written)],
    ['UTF-8 with its mark', utf8(`\uFEFF${written}`)],
    ['Windows-1252', windows(written)],
    ['UTF-16 with its mark', utf16(`\uFEFF${written}`)],
    ['UTF-16 of the other order with its mark', utf16(`\uFEFF${written}`, true)],
    ['UTF-16 without a mark', utf16(written)],
    ['UTF-16 of the other order without a mark', utf16(written, true)],
  ] as const)('[EX-04] of %s is read as it was written', async ([, file]) => {
    expect(await read(file)).toEqual(table);
  });

  test.for([';', ',', '\t', '|'])('[EX-04] may separate its cells by « %s »', async (mark) => {
    expect(await read(utf8(written.replaceAll(';', mark)))).toEqual(table);
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

  test('[EX-04] is the first visible sheet with a table, and any other by choice', async () => {
    const rows = (name: string) => [
      ['Nom', 'E-mail'],
      [name, `${name}@exemple.fr`],
    ];
    const file = await writeXlsx({
      sheets: [
        { name: 'Brouillon', rows: rows('cachee'), hidden: true },
        { name: 'Vide', rows: [] },
        { name: 'Lisez-moi', rows: [['Fichier des clients'], ['À jour au 12 novembre']] },
        { name: 'Clients', rows: rows('zoe') },
        { name: 'Autres', rows: rows('paul') },
      ],
    });
    const { lines, reading } = await tableOf(file);
    expect(lines[0]?.cells[0]).toBe('zoe');
    expect(reading.sheet).toBe('Clients');
    expect(reading.sheets).toEqual([
      { name: 'Brouillon', isHidden: true },
      { name: 'Vide', isHidden: false },
      { name: 'Lisez-moi', isHidden: false },
      { name: 'Clients', isHidden: false },
      { name: 'Autres', isHidden: false },
    ]);
    expect((await tableOf(file, { sheet: 'Lisez-moi' })).titles).toEqual(['Fichier des clients']);
    expect((await tableOf(file, { sheet: 'Autres' })).lines[0]?.cells[0]).toBe('paul');
    expect((await tableOf(file, { sheet: 'Brouillon' })).lines[0]?.cells[0]).toBe('cachee');
  });
});

test('[DF-31] an ODS of LibreOffice is read as an XLSX is', async () => {
  const file = await writeOds({
    sheets: [
      { name: 'Notes', rows: [] },
      {
        name: 'Clients',
        rows: [
          ['Nom', 'E-mail'],
          ['Zoë', 'zoe@exemple.fr'],
        ],
      },
    ],
  });
  const { titles, lines, reading } = await tableOf(file);
  expect({ titles, lines }).toEqual({
    titles: ['Nom', 'E-mail'],
    lines: [{ number: 2, cells: ['Zoë', 'zoe@exemple.fr'] }],
  });
  expect(reading).toMatchObject({ sheet: 'Clients', sheets: [{ name: 'Notes' }, { name: 'Clients' }] });
});

describe('[DF-31] nobody is lost without a word', () => {
  test('[DF-31] lines of a sheet that are coloured and empty count for nothing', async () => {
    const people = Array.from({ length: 1500 }, (_, n) => [
      [`N${n}`, `n${n}@exemple.fr`],
      ['', ''],
    ]).flat();
    const cells = new Map(
      people.flatMap((_, row) =>
        [0, 1].map(
          (column) =>
            [
              `${row + 1},${column}`,
              { style: { fill: { type: 'pattern', pattern: 'solid', fgColor: { rgb: 'FFFF00' } } } },
            ] as const,
        ),
      ),
    );
    const file = await writeXlsx({ sheets: [{ name: 'A', rows: [['Nom', 'E-mail'], ...people], cells }] });
    const { lines } = await readLines(file, 2_000, {});
    expect(lines).toHaveLength(1501);
    expect(lines.at(-1)).toEqual({ number: 3000, cells: ['N1499', 'n1499@exemple.fr'] });
  });

  test('[DF-31] a title above the table is no line of titles, whatever it says, and another line is one by choice', async () => {
    const file = utf8(
      'Liste des clients — contact@exemple.fr;;;\nÉdité le 12/11/2026;;;\n\nPrénom;Nom;E-mail;Tél.\nZoë;Lefèvre;zoe@exemple.fr;0612345678\n',
    );
    const found = await tableOf(file);
    expect(found).toMatchObject({
      titles: ['Prénom', 'Nom', 'E-mail', 'Tél.'],
      lines: [{ number: 5 }],
      header: 4,
      head: [{ number: 1 }, { number: 2 }, { number: 4 }, { number: 5 }],
    });
    expect((await tableOf(file, {}, 2)).titles).toEqual(['Édité le 12/11/2026', '', '', '']);
    expect(await tableOf(file, {}, 0)).toMatchObject({
      titles: ['Colonne 1', 'Colonne 2', 'Colonne 3', 'Colonne 4'],
      header: 0,
    });
  });

  test('[DF-31] titles that nobody knows are the first line that is as wide as the table', async () => {
    expect(await tableOf(utf8('Nos amis;;\nQui;Où;Combien\nLéa;Lyon;3\nMax;Metz;4'))).toMatchObject({
      titles: ['Qui', 'Où', 'Combien'],
      header: 2,
    });
  });

  test('[DF-31] cells beyond the titles have a column of their own', async () => {
    expect((await tableOf(utf8('Nom;E-mail\nA;a@x.fr;;de trop;;;\n'))).titles).toEqual(['Nom', 'E-mail', '', '']);
  });

  test('[DF-31] columns beyond those that are read are counted', async () => {
    const wide = Array.from({ length: 63 }, (_, n) => `T${n}`).join(';');
    expect((await tableOf(utf8(`${wide}\n${wide}`))).reading.columnsLeft).toBe(3);
  });

  test.for([
    ['« ; » though a title has commas', 'Nom, prénom, raison sociale, adresse;E-mail\nA;a@x.fr\nB;b@x.fr', ';'],
    ['« ; » though each note has commas', 'Nom;Note\nA;un, deux, trois\nB;un\nC;un, deux', ';'],
    ['commas though a note has « ; »', 'Nom,E-mail,Note\nA,a@x.fr,x;y;z;t\nB,b@x.fr,', ','],
    ['« ; » under a title of one cell', 'Clients, amis, autres\nNom;E-mail\nA;a@x.fr\nB;b@x.fr', ';'],
    ['tabs though names have commas', 'Nom\tE-mail\nDupont, A\ta@x.fr\nDurand, B\tb@x.fr', '\t'],
  ] as const)('[DF-31] the separator is %s', async ([, text, separator]) => {
    expect((await tableOf(utf8(text))).reading.separator).toBe(separator);
  });

  test('[DF-31] separator and encoding are others by choice', async () => {
    const file = windows('Nom,x;E-mail\nZoé;z@x.fr');
    expect((await read(file, { separator: ',' })).titles).toEqual(['Nom', 'x;E-mail']);
    expect((await read(file, { encoding: 'macintosh' })).lines[0]?.cells[0]).toBe('ZoÈ');
  });

  test('[DF-31] lines may end as any system ends them, even by turns', async () => {
    expect((await read(utf8('Nom;E-mail\rA;a@x.fr\r\nB;b@x.fr\nC;c@x.fr'))).lines.map(({ number }) => number)).toEqual([
      2, 3, 4,
    ]);
  });

  test('[DF-31] one odd byte leaves a UTF-8 file UTF-8, and its line is told', async () => {
    const file = Buffer.concat([
      utf8('Nom;E-mail\nZoé;zoe@x.fr\n'),
      windows('Noël;noel@x.fr\n'),
      utf8('Éloïse;eloise@x.fr\n'),
    ]);
    const { lines, reading } = await tableOf(file);
    expect(lines.map(({ cells }) => cells[0])).toEqual(['Zoé', 'Noël', 'Éloïse']);
    expect(reading).toMatchObject({ encoding: 'utf-8', oddLine: 3 });
  });

  const names = [
    'Zoë',
    'Hélène',
    'François',
    'Jérôme Lefèvre',
    'Loïc',
    'Maïté Château',
    'Noël',
    'Thérèse',
    'Éloïse d’Été',
  ];
  test.for([
    ['windows-1252', (text: string) => bytesIn('windows-1252', text)],
    ['macintosh', (text: string) => bytesIn('macintosh', text)],
    ['cp850', dosBytes],
  ] as const)('[DF-31] names of %s are read as they were written', async ([encoding, write]) => {
    const text = `Nom;E-mail\n${names.map((name, n) => `${name.replaceAll('’', encoding === 'cp850' ? "'" : '’')};n${n}@x.fr`).join('\n')}`;
    const { lines, reading } = await tableOf(write(text));
    expect(reading.encoding).toBe(encoding);
    expect(lines.map(({ cells }) => cells[0])).toEqual(
      names.map((name) => (encoding === 'cp850' ? name.replaceAll('’', "'") : name)),
    );
    // One name alone is enough.
    for (const name of ['Zoë', 'Hélène', 'François', 'Loïc', 'Jérôme']) {
      expect((await tableOf(write(`Nom;E-mail\n${name};a@x.fr`))).lines[0]?.cells[0]).toBe(name);
    }
  });

  test('[DF-31, DF-32] the mark that an export puts before a formula is none of the text, in a CSV and in a workbook of it', async () => {
    const rows = [
      ['Nom', 'Tél.'],
      ["'=Max", "'+33612345678"],
      ["l'ami", "'tis"],
    ];
    const expected = [
      ['=Max', '+33612345678'],
      ["l'ami", "'tis"],
    ];
    expect((await read(utf8(rows.map((row) => row.join(';')).join('\n')))).lines.map(({ cells }) => cells)).toEqual(
      expected,
    );
    expect((await read(await writeXlsx({ sheets: [{ name: 'A', rows }] }))).lines.map(({ cells }) => cells)).toEqual(
      expected,
    );
  });

  test.for([
    ['a picture', [0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1], 'Ce fichier est une image'],
    ['a PDF', '%PDF-1.7\n1 0 obj', 'Ce fichier est un PDF'],
    ['a vCard', 'BEGIN:VCARD\nVERSION:3.0\nFN:Zoé\nEND:VCARD\n', 'Ce fichier est un carnet d’adresses (vCard)'],
    ['a calendar', 'BEGIN:VCALENDAR\nVERSION:2.0\n', 'Ce fichier est un agenda'],
    ['a web page', '<html><table><tr><td>Nom', 'Ce fichier est une page web'],
    [
      'an old workbook',
      [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...Array.from({ length: 600 }, () => 0)],
      'ancien Excel (.xls)',
    ],
    [
      'a workbook with a password',
      [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...Buffer.from('EncryptedPackage', 'utf16le')],
      'mot de passe',
    ],
    ['a torn workbook', 'PK\u0003\u0004 rien', 'Ce '],
    ['bytes of any kind', Array.from({ length: 500 }, (_, n) => (n * 37) % 32), 'Ce fichier n’est pas reconnu'],
    [
      'a quote that never closes',
      'Nom;E-mail\nA;a@x.fr\n"B;b@x.fr\nC;c@x.fr',
      'Un guillemet ouvert n’est jamais fermé (ligne 3)',
    ],
  ] as const)('[DF-31] %s is refused as what it is', async ([, content, sentence]) => {
    const file = typeof content === 'string' ? utf8(content) : Uint8Array.from(content);
    await expect(aside(file)).rejects.toMatchObject({
      code: 'import_file_unknown',
      message: expect.stringContaining(sentence),
    });
  });

  test.for(['BM;Nom;E-mail', 'ID3;Nom;E-mail', 'MZ;Nom;E-mail', 'GIF89a;Nom;E-mail'])(
    '[DF-31] « %s » begins a table, though pictures and music begin so',
    async (titles) => {
      expect((await tableOf(utf8(`${titles}\nx;A;a@x.fr`))).titles).toEqual(titles.split(';'));
    },
  );
});

/** A ZIP of one deflated part, whose directory says the size that it is told to. */
function zipOf(name: string, content: Buffer, said: number): Buffer {
  const packed = deflateRawSync(content);
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04_03_4b_50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt16LE(name.length, 26);
  const listed = Buffer.alloc(46);
  listed.writeUInt32LE(0x02_01_4b_50, 0);
  listed.writeUInt16LE(8, 10);
  listed.writeUInt32LE(packed.length, 20);
  listed.writeUInt32LE(said, 24);
  listed.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + packed.length, 16);
  return Buffer.concat([local, Buffer.from(name), packed, listed, Buffer.from(name), end]);
}

describe('a bomb', () => {
  test.for([0, 10, 0xff_ff_ff_ff])(
    '[DF-22] of 300 MB whose directory says %i is refused, and takes no memory of the process',
    async (said) => {
      const file = zipOf('xl/workbook.xml', Buffer.alloc(300 * 1024 * 1024), said);
      const before = process.memoryUsage().rss;
      await expect(aside(file)).rejects.toMatchObject({ code: 'import_file_unknown' });
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    },
  );

  test('[EX-04] an honest workbook with a wrong size in its directory is read: nobody believes it', async () => {
    const rows = [['Nom', 'E-mail'], ...Array.from({ length: 1000 }, (_, n) => [`Une personne ${n}`, `n${n}@x.fr`])];
    const file = Buffer.from(await writeXlsx({ sheets: [{ name: 'A', rows }] }));
    const entry = Buffer.from([0x50, 0x4b, 0x01, 0x02]);
    for (let at = file.indexOf(entry); at >= 0; at = file.indexOf(entry, at + 4)) file.writeUInt32LE(10, at + 24);
    expect((await read(file)).lines).toHaveLength(1000);
  });
});

test('[DF-27] each person has one place in the queue of files, and nobody waits for more than one file of another', async () => {
  const lines = Array.from({ length: 2000 }, (_, n) => `N${n};n${n}@x.fr`).join('\n');
  const file = utf8(`Nom;E-mail\n${lines}`);
  const order: string[] = [];
  const noted = (name: string, reading: Promise<unknown>) =>
    reading.then(
      () => order.push(`${name} read`),
      (error: { code: string }) => order.push(`${name} ${error.code}`),
    );
  const broken = Buffer.from('PK\u0003\u0004 rien');
  await Promise.all([
    noted('many', aside(broken, 10, 'many')),
    ...Array.from({ length: 30 }, () => noted('many', aside(broken, 10, 'many'))),
    noted('colleague', aside(file, 20_000, 'colleague')),
  ]);
  expect(order.filter((one) => one === 'many file_being_read')).toHaveLength(30);
  expect(order.slice(-2)).toEqual(['many import_file_unknown', 'colleague read']);
  // The place is free again.
  expect((await aside(file, 20_000, 'many')).lines).toHaveLength(2001);
});

test('[EX-04] of more lines than may be, no more is read than shows it', async () => {
  const lines = Array.from({ length: 500 }, (_, n) => `N${n};n${n}@x.fr`).join('\n');
  expect((await aside(utf8(`Nom;E-mail\n${lines}`), 10)).lines.length).toBeLessThan(50);
  for (const nothing of ['', '\n\n;;\n']) expect((await aside(utf8(nothing))).lines).toEqual([]);
});

/** Bytes of a text in an alphabet of one byte that this platform can decode. */
function bytesIn(encoding: string, text: string): Uint8Array {
  const letters = new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from([...text].map((letter) => letters.get(letter) ?? 63));
}

/** Bytes of DOS, for the letters of this file. */
function dosBytes(text: string): Uint8Array {
  const letters: Record<string, number> = { é: 0x82, è: 0x8a, ë: 0x89, ç: 0x87, ô: 0x93, ï: 0x8b, â: 0x83, É: 0x90 };
  return Uint8Array.from([...text].map((letter) => letters[letter] ?? letter.codePointAt(0) ?? 63));
}
