import { describe, expect, test } from 'vitest';
import { email, id, optionalAmount, optionalLine, optionalPhone, optionalText, requiredLine } from './fields.ts';
import { emailLengthMax } from './limits.ts';
import { accepted, refusals } from './testing.ts';

const uuid = '3f2b8c1e-1111-4222-8333-444455556666';

describe('e-mail addresses', () => {
  test.each([
    ['ANA@Exemple.FR', 'ana@exemple.fr'],
    [' ana+tag@sous.domaine.exemple.fr\n', 'ana+tag@sous.domaine.exemple.fr'],
    ["o'neil@exemple.fr", "o'neil@exemple.fr"],
    [`${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.fr`, undefined],
  ])('[V-11] %s is an address', (input, expected) => {
    expect(accepted(email(), input)).toBe(expected ?? input);
  });

  test.each([
    'ana',
    'ana@',
    '@exemple.fr',
    'ana@exemple',
    'ana@@exemple.fr',
    'a na@exemple.fr',
    'ana@exemple..fr',
    'ana@.fr',
    'ana@exemple.fr.',
    'Ana <ana@exemple.fr>',
    'ana@exemple.fr,luc@exemple.fr',
    'ana@exemple.fr\r\nBcc: luc@exemple.fr',
    'ana\u0000@exemple.fr',
    `${'a'.repeat(65)}@exemple.fr`,
    `${'a'.repeat(60)}@${`${'b'.repeat(62)}.`.repeat(3)}exemple.fr`,
    `${'a'.repeat(emailLengthMax)}@exemple.fr`,
  ])('[V-11] %j is no address', (input) => {
    expect(refusals(email(), input)).toEqual([': L’adresse e-mail n’est pas valide. Exemple : prenom.nom@exemple.fr']);
  });
});

describe('texts', () => {
  test.each(['Ana\u0000', 'Ana\r\nBcc: x', 'Ana\u2028x', 'Ana\u202eanA', 'Ana\u001b[31m', 'Ana\ud800'])(
    '[V-12] %j does not fit on a line',
    (input) => {
      expect(refusals(requiredLine('requis'), input)).toEqual([': Ce texte contient des caractères non autorisés']);
      expect(refusals(optionalLine(), input)).toHaveLength(1);
    },
  );

  test('[V-12] several lines are allowed where they are needed, NUL and half a character never', () => {
    expect(accepted(optionalText(), ' un\r\ndeux\ttrois ')).toBe('un\ndeux\ttrois');
    for (const input of ['a\u0000b', 'a\u0007b', 'a\udc00', 'a\u202eb']) {
      expect(refusals(optionalText(), input)).toEqual([': Ce texte contient des caractères non autorisés']);
    }
  });

  test('[V-12] everything else is kept as it is', () => {
    for (const text of ['<script>alert(1)</script>', '=1+1', '${x} %s', 'e\u0301', '😀', "'; drop table sales; --"]) {
      expect(accepted(requiredLine('requis'), text)).toBe(text);
      expect(accepted(optionalText(), text)).toBe(text);
    }
  });

  test('[V-11] empty, null and absent are null', () => {
    for (const input of ['', '  ', '\u00a0', null, undefined]) {
      expect(accepted(optionalText(), input)).toBeNull();
      expect(accepted(optionalLine(), input)).toBeNull();
      expect(accepted(optionalPhone(), input)).toBeNull();
      expect(accepted(optionalAmount(), input)).toBeNull();
    }
  });

  test('[V-12] a name has at most 120 characters', () => {
    expect(accepted(requiredLine('requis'), 'a'.repeat(120))).toHaveLength(120);
    expect(refusals(requiredLine('requis'), 'a'.repeat(121))).toEqual([': 120 caractères au maximum']);
  });

  test('[V-12] a value that is no text does not become one', () => {
    for (const input of [12, true, {}, [], ['a']]) {
      expect(refusals(requiredLine('requis'), input)).toHaveLength(1);
      expect(refusals(optionalText(), input)).toHaveLength(1);
      expect(refusals(email(), input)).toHaveLength(1);
      expect(refusals(id('choisir'), input)).toHaveLength(1);
    }
  });
});

test('[V-10] an id is a uuid', () => {
  expect(accepted(id('choisir'), uuid.toUpperCase())).toBe(uuid);
  for (const input of ['', 'x', `${uuid}0`, `${uuid}\n`, `' or 1=1`, null, undefined]) {
    expect(refusals(id('choisir'), input)).toEqual([': choisir']);
  }
});

test('[V-08] a phone number is written freely, without letters', () => {
  for (const input of ['0612345678', '+33 6 12 34 56 78', '06.12.34.56.78', '(06) 12-34-56-78', '3615']) {
    expect(accepted(optionalPhone(), input)).toBe(input);
  }
  for (const input of ['abc', '06 12 34 56 78 poste', '+', '12', '0'.repeat(31), '06\u000012345678', '0612\n345678']) {
    expect(refusals(optionalPhone(), input)).toEqual([
      ': Le numéro de téléphone n’est pas valide. Exemple : 06 12 34 56 78',
    ]);
  }
});

test('[V-12] no text slows a check down', () => {
  const start = process.cpuUsage();
  for (const text of [
    'a@'.repeat(50_000),
    'a.'.repeat(50_000),
    `a@${'a.'.repeat(50_000)}`,
    '0 '.repeat(50_000),
    ' '.repeat(100_000),
  ]) {
    for (const field of [email(), optionalPhone(), optionalLine(), optionalText(), id('x'), optionalAmount()]) {
      refusals(field, text);
    }
  }
  // Time of this process alone, whatever else the machine does; far below what backtracking over such a text takes.
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
