import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

import { misspeltSettings } from './config-names.ts';
import { ConfigurationError, readConfig } from './config.ts';

const PROJECT = path.join(import.meta.dirname, '..', '..');

describe('the configuration', () => {
  test('reads who says that somebody is no program', () => {
    expect(readConfig({}).captcha).toBeNull();
    expect(readConfig({ CAPTCHA: 'off' }).captcha).toBeNull();
    expect(readConfig({ CAPTCHA: 'hcaptcha:0xabc' }).captcha).toEqual({
      url: 'https://api.hcaptcha.com/siteverify',
      secret: '0xabc',
    });
    expect(readConfig({ CAPTCHA: 'turnstile:1x0:0 http://127.0.0.1:9/verify' }).captcha).toEqual({
      url: 'http://127.0.0.1:9/verify',
      secret: '1x0:0',
    });
  });

  test('[DF-38] a mark at the head of a file of settings, or of a secret, is no part of it', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'parrain-mark-'));
    try {
      const settings = path.join(folder, '.env');
      writeFileSync(settings, '\ufeffPORT=4321\nMAIL_FROM=a@exemple.fr\n');
      const secret = path.join(folder, 'url');
      writeFileSync(secret, '\ufeffhttps://exemple.fr\n');
      const print = 'process.stdout.write(JSON.stringify(process.env))';
      const environment = JSON.parse(
        execFileSync(process.execPath, [`--env-file=${settings}`, '-e', print], { env: {}, encoding: 'utf8' }),
      ) as Record<string, string>;
      expect(readConfig({ ...environment, PUBLIC_URL_FILE: secret })).toMatchObject({
        port: 4321,
        publicUrl: 'https://exemple.fr',
      });
      expect(misspeltSettings(environment)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('needs nothing: a machine with nothing set gets an embedded database, demo data, and no mail', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      dataDir: path.join(PROJECT, 'data'),
      databaseUrl: null,
      publicUrl: null,
      smtpUrl: null,
      calendlyUrl: null,
      vatRegisterUrl: null,
      hostedIn: null,
      appName: 'Parrain',
      demo: true,
      secretKey: null,
      oldSecretKey: null,
      databaseReadUrl: null,
      corsOrigins: ['*'],
      drainSeconds: 0,
      hsts: 'max-age=63072000',
      securityContact: null,
      trustProxy: 0,
    });
  });

  test('[OP-02] reads where backups go, when and for whom; one that nothing closes is refused', () => {
    const recipient = 'age17wup3ymkc8ryy9n39yttdxfenwhszmxyv0mkywpg4fa922a3scgqmkqq7n';
    expect(readConfig({})).toMatchObject({ backupTo: null, backupAt: ['02:30'], backupKeep: 30 });
    const read = readConfig({
      BACKUP_TO: '/srv/backups',
      BACKUP_AT: '01:00, *:15',
      BACKUP_KEEP: '7',
      BACKUP_RECIPIENT: recipient,
    });
    expect(read).toMatchObject({ backupAt: ['01:00', '*:15'], backupKeep: 7, backupRecipient: recipient });
    const wrong: readonly (readonly [Record<string, string>, string])[] = [
      [{ BACKUP_TO: '/srv/backups' }, 'BACKUP_TO demande BACKUP_RECIPIENT ou BACKUP_PASSPHRASE'],
      [{ BACKUP_TO: 'https://s3.example.fr/bucket', BACKUP_RECIPIENT: recipient }, 'BACKUP_TO'],
      [{ BACKUP_RECIPIENT: recipient.replace('wup', 'wuq') }, 'BACKUP_RECIPIENT'],
      [{ BACKUP_IDENTITY: recipient }, 'BACKUP_IDENTITY'],
      [{ BACKUP_PASSPHRASE: 'trop courte' }, 'BACKUP_PASSPHRASE'],
      [{ BACKUP_AT: '24:00' }, 'BACKUP_AT'],
      [{ BACKUP_AT: ',' }, 'BACKUP_AT'],
      [{ BACKUP_KEEP: '0' }, 'BACKUP_KEEP'],
    ];
    for (const [environment, sentence] of wrong) expect(() => readConfig(environment)).toThrow(sentence);
  });

  test('loads no demo company into an external database unless asked to', () => {
    const external = { DATABASE_URL: 'postgres://owner:secret@db:5432/parrain' };
    expect(readConfig(external).demo).toBe(false);
    expect(readConfig({ ...external, DEMO: '1' }).demo).toBe(true);
    expect(readConfig({ DEMO: '0' }).demo).toBe(false);
    expect(readConfig({ ...external, DEMO: 'on' }).demo).toBe(true);
    expect(readConfig({ DEMO: 'OFF' }).demo).toBe(false);
  });

  test('[OP-07] takes an address of several hosts, as libpq has them', () => {
    const address = 'postgres://u:p@one:5432,two:5432/parrain?target_session_attrs=read-write';
    expect(readConfig({ DATABASE_URL: address }).databaseUrl).toBe(address);
  });

  test('[FX-01][OP-05] listens to this machine alone unless HOST says otherwise', () => {
    expect(readConfig({}).host).toBe('127.0.0.1');
    expect(readConfig({ HOST: '0.0.0.0', DEMO: 'off' }).host).toBe('0.0.0.0');
  });

  test.each([
    [{}, true],
    [{ PUBLIC_URL: 'http://localhost:8080' }, true],
    [{ PUBLIC_URL: 'http://parrain.localhost:8080' }, true],
    [{ PUBLIC_URL: 'http://127.1.2.3' }, true],
    [{ PUBLIC_URL: 'http://[::1]:3000' }, true],
    [{ PUBLIC_URL: 'http://192.168.1.20:3000' }, false],
    [{ PUBLIC_URL: 'https://parrain.example.fr' }, false],
    [{ PUBLIC_URL: 'https://127.0.0.1.example.fr' }, false],
    [{ PUBLIC_URL: 'https://localhost.example.fr' }, false],
    [{ DATABASE_URL: 'postgres://owner:secret@db:5432/parrain' }, false],
  ])('[FX-01] the demo loads by itself only on the embedded database and a local address: %j → %s', (env, demo) => {
    expect(readConfig(env).demo).toBe(demo);
  });

  test.each([
    [{ HOST: '0.0.0.0' }, 'HOST=0.0.0.0'],
    [{ HOST: '::' }, 'HOST=::'],
    [{ HOST: '192.168.1.20', DEMO: 'on' }, 'HOST=192.168.1.20'],
    [{ PUBLIC_URL: 'https://parrain.example.fr', DEMO: 'on' }, 'PUBLIC_URL=https://parrain.example.fr'],
  ])('[FX-01][OP-05] demo accounts on an address that others reach are refused in a sentence: %j', (env, named) => {
    const refuse = (): unknown => readConfig(env);
    expect(refuse).toThrow(ConfigurationError);
    for (const word of [named, 'DEMO=off', 'DEMO=public']) expect(refuse).toThrow(word);
    expect(readConfig({ ...env, DEMO: 'public' }).demo).toBe(true);
    expect(readConfig({ ...env, DEMO: 'off' }).demo).toBe(false);
  });

  test('takes an empty variable for an absent one', () => {
    expect(readConfig({ SMTP_URL: '', PORT: ' ', CALENDLY_URL: '' })).toEqual(readConfig({}));
  });

  test('reads what is set', () => {
    const key = Buffer.alloc(32, 7);
    expect(
      readConfig({
        PORT: '8080',
        PUBLIC_URL: 'https://parrain.example.fr/',
        SMTP_URL: 'smtps://user:secret@mail.example.fr:465',
        MAIL_FROM: 'Parrain <bonjour@example.fr>',
        CALENDLY_URL: 'https://calendly.com/exemple/30min',
        SECRET_KEY: key.toString('base64'),
        CORS_ORIGINS: 'https://a.example.fr, https://b.example.fr',
        TRUST_PROXY: '1',
        LOG_LEVEL: 'debug',
        LOG_FORMAT: 'text',
        LOG_ADDRESS: 'none',
      }),
    ).toMatchObject({
      port: 8080,
      publicUrl: 'https://parrain.example.fr',
      smtpUrl: 'smtps://user:secret@mail.example.fr:465',
      secretKey: key,
      corsOrigins: ['https://a.example.fr', 'https://b.example.fr'],
      trustProxy: 1,
      logLevel: 'debug',
      logFormat: 'text',
      logAddress: 'none',
    });
    expect(readConfig({ SECRET_KEY: key.toString('hex') }).secretKey).toEqual(key);
  });

  test('lets links lead to the addresses and patterns that its own sentence names', () => {
    const addresses = ['https://app.example.fr/retour', 'https://*.example.fr/**', 'http://localhost:*/**'];
    expect(readConfig({ REDIRECT_URLS: addresses.join(', ') }).redirectUrls).toEqual(addresses);
  });

  test.each([
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['PORT', '-1'],
    ['DATABASE_URL', 'mysql://db/parrain'],
    ['DATABASE_URL', 'parrain'],
    ['DATABASE_URL', 'postgres://u:p@one:5432,two:5432/parrain?target_session_attrs=standby'],
    ['DATABASE_URL', 'postgres://u:p@one:5432,two:port/parrain'],
    ['DATABASE_READ_URL', 'replica'],
    ['OLD_SECRET_KEY', 'trop court'],
    ['PUBLIC_URL', 'parrain.example.fr'],
    ['PUBLIC_URL', 'https://example.fr/parrain'],
    ['SMTP_URL', 'mail.example.fr'],
    ['MAIL_FROM', 'Parrain'],
    ['MAIL_FROM', 'Parrain <a@b.fr>\r\nBcc: c@d.fr'],
    ['MAILS_PER_HOUR', 'beaucoup'],
    ['CALENDLY_URL', 'http://calendly.com/x'],
    ['HOSTED_IN', '<b>en France</b>'],
    ['APP_NAME', 'Un nom bien trop long pour tenir sous une icône'],
    ['CALENDLY_URL', 'javascript:alert(1)'],
    ['DEMO', 'peut-être'],
    ['SECRET_KEY', 'trop court'],
    ['SECRET_KEY', 'YWJj'],
    ['CORS_ORIGINS', 'https://a.example.fr/path'],
    ['CORS_ORIGINS', '*, https://a.example.fr'],
    ['REDIRECT_URLS', 'https://*'],
    ['REDIRECT_URLS', 'https://**.example.fr'],
    ['REDIRECT_URLS', 'https://app.example.*'],
    ['REDIRECT_URLS', 'https://*example.fr'],
    ['REDIRECT_URLS', 'https://*.fr/**'],
    ['REDIRECT_URLS', 'https://moi@app.example.fr'],
    ['SMS_URL', 'sms.example.fr'],
    ['SMS_URL', 'ftp://jeton@sms.example.fr'],
    ['ANONYMOUS_SIGN_IN', 'parfois'],
    ['REQUIRE_CURRENT_PASSWORD', '2'],
    ['REDIRECT_URLS', 'https://app.example.fr@pirate.example'],
    ['REDIRECT_URLS', 'javascript:alert(1)'],
    ['CAPTCHA', 'on'],
    ['CAPTCHA', 'turnstile:'],
    ['CAPTCHA', 'recaptcha:secret'],
    ['PASSWORD_LEAK_CHECK', 'oui'],
    ['PASSWORD_LEAK_CHECK', 'ftp://range.example.fr'],
    ['SESSION_MAX_HOURS', '0'],
    ['SESSION_MAX_HOURS', '8h'],
    ['SESSION_IDLE_HOURS', '9000'],
    ['SESSION_LOW_AAL_MINUTES', '-5'],
    ['SESSION_SINGLE', 'deux'],
    ['TRUST_PROXY', 'true'],
    ['LOG_LEVEL', 'verbose'],
    ['LOG_FORMAT', 'xml'],
    ['LOG_ADDRESS', 'on'],
  ])('refuses %s=%s with a sentence that names it, and not its value', (name, value) => {
    const refuse = (): unknown => readConfig({ [name]: value });
    expect(refuse).toThrow(ConfigurationError);
    expect(refuse).toThrow(new RegExp(`^La variable ${name} est incorrecte : .+\\.`, 'u'));
  });

  test('names every wrong variable at once', () => {
    expect(() => readConfig({ PORT: 'x', SMTP_URL: 'y' })).toThrow(/PORT[^]*SMTP_URL/u);
  });
});

describe('a value that stands in a file', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'parrain-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (content: string): string => {
    const name = path.join(folder, 'value');
    writeFileSync(name, content);
    return name;
  };

  test('[OP-01] is read where the variable and _FILE names it, for every variable, without the line break at its end', () => {
    const key = 'ab'.repeat(32);
    expect(readConfig({ SECRET_KEY_FILE: file(`${key}\n`) }).secretKey).toEqual(Buffer.from(key, 'hex'));
    expect(readConfig({ PORT_FILE: file(' 8080 \n') }).port).toBe(8080);
    expect(readConfig({ SMTP_URL_FILE: '', PORT_FILE: file('\n') })).toEqual(readConfig({}));
  });

  test('[OP-01] is refused in a sentence where it cannot be read, is wrong, or stands in the variable too', () => {
    expect(() => readConfig({ SECRET_KEY_FILE: '/nowhere/key' })).toThrow(
      'La variable SECRET_KEY_FILE désigne un fichier illisible : /nowhere/key (ENOENT).',
    );
    expect(() => readConfig({ PORT_FILE: file('abc') })).toThrow(/^La variable PORT est incorrecte/u);
    expect(() => readConfig({ PORT: '1', PORT_FILE: file('2'), SMTP_URL: 'x' })).toThrow(
      /PORT et PORT_FILE sont données toutes les deux[^]*SMTP_URL/u,
    );
  });
});

test('[FX-28] a confirmation by mail without a mail server is refused in a sentence', () => {
  expect(() => readConfig({ SIGNUP_CONFIRMATION: 'on' })).toThrow(/SIGNUP_CONFIRMATION.*SMTP_URL/u);
  expect(readConfig({ SIGNUP_CONFIRMATION: 'on', SMTP_URL: 'smtp://mail' }).signupConfirmation).toBe(true);
});

test('[FX-27] a relative DATA_DIR is the project’s, wherever a command is typed', () => {
  expect(readConfig({ DATA_DIR: 'elsewhere' }).dataDir).toBe(path.join(PROJECT, 'elsewhere'));
  expect(readConfig({ DATA_DIR: '/srv/parrain' }).dataDir).toBe('/srv/parrain');
});
