import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// The words that people read, on screens and in mails: one way to write each thing.

const project = path.join(import.meta.dirname, '..', '..');
const SHOWN = ['web/app', 'domain/src', 'server/src/functions', 'server/src/auth/messages', 'server/src/exports'];

/** The specification's own texts, which stay as it writes them. */
const LITERAL = [
  "Vue d'ensemble",
  "Contrats d'affiliation",
  "Erreur lors de l'inscription",
  "Erreur lors de l'invitation",
  "Erreur lors de l'upload du logo",
  "Erreur lors de l'ajout du client",
  "Erreur lors de l'envoi de l'invitation",
  "Le nom et l'email sont requis",
  'Email non renseigné',
  'Votre ami va recevoir un email personnalisé',
] as const;

/** Files written otherwise than in French: programs, and the words of others. */
const OTHER = /^domain\/src\/name-examples\.ts$/u;

/** The files whose texts people read. */
function sources(): readonly string[] {
  return SHOWN.flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((file) => /\.tsx?$/u.test(file) && !/\.test\.tsx?$/u.test(file) && !OTHER.test(file)),
  );
}

interface ShownText {
  place: string;
  text: string;
}

/** The texts of the sources: quoted, or between two tags. */
function shownTexts(): readonly ShownText[] {
  return sources().flatMap((file) =>
    readFileSync(path.join(project, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(?:\/\/|\*|\/\*)/u.test(line)
          ? []
          : [...line.matchAll(/"(?<a>[^"]*)"|'(?<b>[^']*)'|`(?<c>[^`]*)`|>(?<d>[^<>{}=]+)</gu)].map(({ groups }) => ({
              place: `${file}:${index + 1}`,
              text: groups?.['a'] ?? groups?.['b'] ?? groups?.['c'] ?? groups?.['d'] ?? '',
            })),
      ),
  );
}

const texts = shownTexts().map(({ place, text }) => ({
  place,
  text: LITERAL.reduce<string>((rest, literal) => rest.replaceAll(literal, ''), text),
}));

/** The texts that a pattern finds. */
function found(pattern: RegExp): string[] {
  return texts.filter(({ text }) => pattern.test(text)).map(({ place, text }) => `${place} ${text}`);
}

test('[I-01] the apostrophe of a French text is curly, but in the specification’s own texts', () => {
  expect(texts.length).toBeGreaterThan(5000);
  expect(found(/(?:^|[\s«(])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quelqu|aujourd)'[a-zà-ÿœ]/iu)).toEqual([]);
});

test('[I-01] the name of a server’s setting is told to admins alone', () => {
  const told = found(/[a-zà-ÿ] .*\b[A-Z]{2,}_[A-Z]{2,}/u).filter((place) => place.startsWith('web/app/'));
  expect(told.filter((place) => !place.startsWith('web/app/dashboards/admin/'))).toEqual([]);
  expect(told.length).toBeGreaterThan(0);
});

test('[I-01] an e-mail is « E-mail », but in the specification’s own texts', () => {
  expect(found(/^Email(?:$|[ :.])/u)).toEqual([]);
  expect(
    found(/(?:^|[ ’])(?:[Uu]n|[Ll]es?|[Ll]’|[Pp]ar|[Vv]otre|[Cc]et|[Ll]’adresse|ou|leur) ?emails?(?:$|[ .,:’])/u),
  ).toEqual([]);
  // The name of a field is short; a sentence may say the whole.
  expect(found(/^Adresse e-mail$/u)).toEqual([]);
});

test('[I-02] an hour is written « 11:05 », a day and its hour « 18 mars à 11:05 »', () => {
  expect(found(/(?:^|\s)\d{1,2} h \d{2}(?:$|\D)/u)).toEqual([]);
  // One place makes hours out of instants, one shows them in a `<time>`; mails and the state of the system have their own,
  // and reminders ask whether it is morning.
  const made = sources().filter((file) =>
    /hour: '2-digit'|timeStyle:/u.test(readFileSync(path.join(project, file), 'utf8')),
  );
  expect(made.toSorted()).toEqual([
    'domain/src/date.ts',
    'server/src/auth/messages/mails.ts',
    'web/app/dashboards/admin/etat-du-systeme/etat-du-systeme.tsx',
    'web/app/ui/date.tsx',
  ]);
});

test('[UI-17] what the review of the screens found unclear is said no more', () => {
  const unclear = [
    /compté deux fois/u,
    /^Revenues$/u,
    /^Soldé$/u,
    /Lire un fichier de la banque/u,
    /où les banques travaillent/u,
    /prêts? à grouper/u,
    /Marquer payée la demande/u,
    /^Clore/u,
    /Confirmer le doute/u,
    /à un point ou un suffixe près/u,
    /Parrain \(automatique\)/u,
    /l’ont eu en/u,
    /^Nouvelles$/u,
    /Il en reste/u,
    /Un refus est toujours suivi/u,
    /Les garder, en mois/u,
    /relu toutes les/u,
    /Ils se taisent/u,
    /mots qui ne vont pas ensemble/u,
    /Aucun e-mail ne part/u,
    /une commission est pour vous/u,
    /entre de mauvaises mains/u,
    /Recommander cet ami/u,
    /Ce qui est gardé de vous/u,
    /peut être récompensé/u,
    /est client chez/u,
    /Signatures par vente/u,
    /votre téléphone se voit/u,
    /^Tout commercial$/u,
    /\b7:30/u,
  ];
  expect(unclear.flatMap((pattern) => found(pattern))).toEqual([]);
});

test('[I-01] to invite is one word on every button', () => {
  expect(found(/^Inviter le client$/u)).toEqual([]);
});

test('[DF-91] no date is read from the habit of a locale: « en-CA » and « sv-SE » write it otherwise from one browser to the next', () => {
  const folders = ['web/app', 'domain/src', 'server/src'];
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const formatted = files.filter(
    (file) =>
      /(?<!\.test)\.tsx?$/u.test(file) &&
      /(?:DateTimeFormat\(|toLocale(?:Date|Time)?String\()\s*'(?!fr-FR'|en')/u.test(
        readFileSync(path.join(project, file), 'utf8'),
      ),
  );
  expect(formatted).toEqual([]);
});

test('[DF-93] every form says « post »: sent by a browser before its script, it puts nothing in the address', () => {
  const forms = sources().flatMap((file) =>
    [...readFileSync(path.join(project, file), 'utf8').matchAll(/(?<!`)<form\b[^>]{0,80}/gu)].map(
      ([form]) => `${file} ${form}`,
    ),
  );
  expect(forms.length).toBeGreaterThan(20);
  expect(forms.filter((form) => !/<form\s+method="post"/u.test(form))).toEqual([]);
});
