import { describe, expect, test } from 'vitest';
import { importCheckForm } from './import.ts';
import { suggestColumns } from './import-file.ts';
import { parseForm } from './parse-form.ts';
import { readReferralLine, referralImport } from './referral-import.ts';

describe('columns', () => {
  test.for([
    ['Nom du filleul', 'name'],
    ['Prénom', 'first_name'],
    ['E-mail', 'email'],
    ['Tél.', 'phone'],
    ['Parrain', 'referrer'],
    ['E-mail du parrain', 'referrer'],
    ['Recommandé par', 'referrer'],
    ['Commentaires', 'note'],
    ['Référence', 'reference'],
    ['Accord pour être appelé', 'call_agreement'],
    ['Montant', ''],
  ])('[EX-04] « %s » is found to be « %s »', ([title, field]) => {
    expect(suggestColumns(referralImport, [title ?? ''], new Map())).toEqual([field]);
  });

  test('[EX-04] [WH-03] a referral needs a name, an address or a telephone, and its referrer; a reference, its software', () => {
    const check = (columns: readonly string[], source: string | null = null) => {
      const read = parseForm(importCheckForm('referrals'), { import_id: crypto.randomUUID(), columns, source });
      return read.ok ? 'ok' : read.issues.map(({ message }) => message);
    };
    expect(check(['name', 'email', 'referrer'])).toBe('ok');
    expect(check(['name', 'phone', 'referrer'])).toBe('ok');
    expect(check(['note'])).toEqual([
      'Indiquez quelle colonne contient le nom, laquelle l’e-mail ou le téléphone, et laquelle le parrain',
    ]);
    expect(check(['name', 'email'])).toEqual(['Indiquez quelle colonne contient le parrain']);
    expect(check(['name', 'email', 'company'])).toEqual(['Les colonnes indiquées ne sont pas valides']);
    expect(check(['name', 'email', 'referrer', 'reference'])).toEqual([
      'Indiquez le logiciel d’où viennent ces références',
    ]);
    expect(check(['name', 'email', 'referrer', 'reference'], 'Salesforce')).toBe('ok');
    expect(check(['name', 'email', 'referrer', 'reference'], 'x'.repeat(41))).not.toBe('ok');
  });
});

describe('a line', () => {
  const columns = ['name', 'first_name', 'email', 'phone', 'referrer', 'note', 'reference', 'call_agreement'];
  const friend = ['Roy', 'Bea', ' Bea@Exemple.FR', '612345678', 'paule@exemple.fr', ' Vue au salon ', 'D-1', ''];
  const changed = (place: number, cell: string) => friend.map((known, other) => (other === place ? cell : known));

  test('[EX-04] [V-12] is a referral as the form has it', () => {
    expect(readReferralLine(friend, columns)).toEqual({
      ok: true,
      referral: {
        name: 'Bea Roy',
        email: 'bea@exemple.fr',
        phone: '0612345678',
        referrer: 'paule@exemple.fr',
        note: 'Vue au salon',
        reference: 'D-1',
        refusesCalls: false,
      },
    });
  });

  test('[EX-04] [CS-03] a file’s « oui » is no agreement of the friend’s own; its « non » is followed', () => {
    for (const [cell, refusesCalls] of [
      ['Oui', false],
      ['NON', true],
      ['0', true],
    ] as const) {
      expect(readReferralLine(changed(7, cell), columns)).toMatchObject({ ok: true, referral: { refusesCalls } });
    }
  });

  test.for([
    [changed(0, '').with(1, ''), ['Nom manquant']],
    [changed(2, '').with(3, ''), ['E-mail ou téléphone manquant']],
    [changed(4, ''), ['Parrain manquant : indiquez son e-mail ou son identifiant']],
    [changed(2, 'bea@'), ['E-mail : ']],
    [changed(3, 'aucun'), ['Téléphone : ']],
    [changed(0, 'www.gagnez.fr'), ['Nom : ']],
    [changed(5, 'x'.repeat(2001)), ['Note : ']],
    [changed(6, 'x'.repeat(121)), ['Référence : ']],
    [changed(7, 'peut-être'), ['Accord pour être appelé : écrivez « oui » ou « non »']],
    [friend.map(() => ''), ['Nom manquant', 'Parrain manquant', 'E-mail ou téléphone manquant']],
  ] as const)('[EX-04] %j is refused: %j', ([cells, begun]) => {
    const read = readReferralLine(cells, columns);
    expect(read.ok ? [] : read.problems.map((problem, place) => problem.startsWith(begun[place] ?? '?'))).toEqual(
      begun.map(() => true),
    );
  });
});
