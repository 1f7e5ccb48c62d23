import { describe, expect, test } from 'vitest';
import { clientImport, readClientLine } from './client-import.ts';
import { importCheckForm } from './import.ts';
import { plainTitle, suggestColumns } from './import-file.ts';
import { parseForm } from './parse-form.ts';

describe('columns', () => {
  test.for([
    ['Nom', 'name'],
    ['NOM COMPLET', 'name'],
    ['Prénom :', 'first_name'],
    ['Adresse e-mail', 'email'],
    ['Courriel', 'email'],
    ['E-MAIL', 'email'],
    ['Tél.', 'phone'],
    ['Téléphone portable', 'phone'],
    ['Raison sociale', 'company'],
    ['Commentaires', 'notes'],
    ['Commercial', 'commercial'],
    ['CA généré', ''],
    ['', ''],
  ])('[EX-04] « %s » is found to be « %s »', ([title, field]) => {
    expect(suggestColumns(clientImport, [title ?? ''], new Map())).toEqual([field]);
  });

  test('[EX-04] what a person said of a title the last time counts more than the title; no field stands twice', () => {
    const said = new Map([
      [plainTitle('Contact n° 1'), 'email'],
      [plainTitle('E-mail'), ''],
      [plainTitle('Mobile'), 'phone'],
      [plainTitle('Autre'), 'inconnu'],
    ]);
    expect(suggestColumns(clientImport, ['Contact N° 1', 'e-mail', 'Mobile', 'Téléphone', 'Autre'], said)).toEqual([
      'email',
      '',
      'phone',
      '',
      '',
    ]);
  });

  test('[EX-04] a commercial’s file names no commercial', () => {
    expect(suggestColumns(clientImport, ['Nom', 'Commercial'], new Map(), ['commercial'])).toEqual(['name', '']);
  });

  test('[EX-04] columns without the name or the e-mail, twice the same, or unknown are refused', () => {
    const check = (columns: unknown) => {
      const read = parseForm(importCheckForm('clients'), {
        import_id: crypto.randomUUID(),
        columns,
        commercial_id: null,
      });
      return read.ok ? 'ok' : read.issues.map(({ message }) => message);
    };
    expect(check(['name', '', 'email'])).toBe('ok');
    expect(check(['name'])).toEqual(['Indiquez quelle colonne contient l’e-mail']);
    expect(check([''])).toEqual(['Indiquez quelle colonne contient le nom, et laquelle l’e-mail']);
    expect(check(['name', 'email', 'email'])).toEqual(['Deux colonnes ne peuvent pas être la même information']);
    expect(check(['name', 'email', 'role'])).toEqual(['Les colonnes indiquées ne sont pas valides']);
    expect(check('name')).toEqual(['Les colonnes indiquées ne sont pas valides']);
    expect(check([...Array.from({ length: 60 }, () => ''), 'name', 'email'])).not.toBe('ok');
  });

  test('[EX-04] each field has its French label', () => {
    expect(new Set(Object.values(clientImport.labels)).size).toBe(7);
  });
});

describe('a line', () => {
  const columns = ['name', 'first_name', 'email', 'phone', 'company', 'notes', 'commercial'] as const;

  test('[EX-04] [V-11] is a client as the form has it: one name of two, the address in lower case, the zero of a number', () => {
    expect(
      readClientLine(['Lefèvre ', ' Zoë', ' Zoe@Exemple.FR', '612345678', '', '', 'marc@demo.fr'], columns),
    ).toEqual({
      ok: true,
      client: { name: 'Zoë Lefèvre', email: 'zoe@exemple.fr', phone: '0612345678', company: null, notes: null },
      commercial: 'marc@demo.fr',
    });
    expect(readClientLine(['Zoë Lefèvre', 'zoe@exemple.fr'], ['name', 'email'])).toMatchObject({
      ok: true,
      client: { name: 'Zoë Lefèvre', phone: null },
      commercial: null,
    });
  });

  test.for([
    [['', '', 'a@x.fr'], ['Nom manquant']],
    [['Léa', '', ''], ['E-mail manquant']],
    [
      ['', '', ''],
      ['Nom manquant', 'E-mail manquant'],
    ],
    [['Léa', '', 'lea'], ['E-mail : ']],
    [['www.gagnez.fr', '', 'a@x.fr'], ['Nom : ']],
    [['Léa', '', 'a@x.fr', 'aucun'], ['Téléphone : ']],
    [['Léa', '', 'a@x.fr', '', 'x'.repeat(121)], ['Entreprise : ']],
    [['Léa', '', 'a@x.fr', '', '', 'x'.repeat(2001)], ['Notes : ']],
    [['L\u0001a', '', 'a@x.fr'], ['Nom : ']],
  ] as const)('[EX-04] %j is refused: %j', ([cells, begun]) => {
    const read = readClientLine(cells, columns);
    expect(read.ok ? [] : read.problems.map((problem, place) => problem.startsWith(begun[place] ?? '?'))).toEqual(
      begun.map(() => true),
    );
  });
});
