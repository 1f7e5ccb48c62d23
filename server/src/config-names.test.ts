import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { misspeltSettings } from './config-names.ts';
import { readConfig, SETTINGS } from './config.ts';

describe('a variable that is none of ours', () => {
  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['SMPT_URL', 'SMTP_URL'],
    ['SMTPURL', 'SMTP_URL'],
    ['smtp_url', 'SMTP_URL'],
    ['PUBLIC-URL', 'PUBLIC_URL'],
    ['SECRETKEY', 'SECRET_KEY'],
    ['SECRET_KEI_FILE', 'SECRET_KEY_FILE'],
    ['CORS_ORIGIN', 'CORS_ORIGINS'],
    ['PROT', 'PORT'],
    ['DATADIR', 'DATA_DIR'],
    ['EMAIL_FROM', 'MAIL_FROM'],
  ])('[FX-28] that is near to one of ours is named with it: %s', (given, meant) => {
    expect(misspeltSettings({ [given]: 'x' })).toEqual([
      `La variable ${given} n'est pas un réglage de Parrain : elle est ignorée. Vouliez-vous dire ${meant} ?`,
    ]);
  });

  test.each(['SMTP_HOST', 'PARRAIN_DEBUG', 'OIDC_GOOGLE_SECRET'])(
    '[FX-28] that begins as only ours do is named: %s',
    (given) => {
      expect(misspeltSettings({ [given]: 'x' })).toHaveLength(1);
    },
  );

  test('[FX-28] that belongs to the system, a shell, a container, a cluster or npm is nobody’s mistake', () => {
    const ordinary = [
      'HOME HOSTNAME HOSTTYPE PATH PWD OLDPWD USER LOGNAME MAIL MAILCHECK SHELL SHLVL TERM TZ LANG LC_ALL PS1 EDITOR PAGER',
      'SESSION_MANAGER XDG_SESSION_TYPE DESKTOP_SESSION DBUS_SESSION_BUS_ADDRESS DISPLAY SSH_AUTH_SOCK SSH_CONNECTION',
      'HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy ALL_PROXY FTP_PROXY SSL_CERT_FILE CI DEBUG',
      'NODE_ENV NODE_OPTIONS NODE_PATH NODE_COMPILE_CACHE MALLOC_ARENA_MAX INIT_CWD npm_config_cache npm_lifecycle_event',
      'INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET WATCHDOG_USEC LISTEN_FDS STATE_DIRECTORY CREDENTIALS_DIRECTORY',
      'KUBERNETES_SERVICE_HOST KUBERNETES_PORT_443_TCP_ADDR SMTP_SERVICE_HOST PARRAIN_SERVICE_PORT SMTP_PORT_25_TCP',
      'PGHOST PGPORT PGUSER PGPASSWORD PGDATA POSTGRES_PASSWORD POSTGRES_DB AWS_SECRET_ACCESS_KEY AWS_REGION API_KEY',
      'SECRET SECRETS COMPOSE_FILE DOCKER_HOST APPDATA LOCALAPPDATA ProgramData SystemRoot OS TEMP TMPDIR VIRTUAL_HOST',
      'REDIS_URL BASE_URL APP_URL API_URL SITE_URL SECRET_KEY_BASE SESSION_SECRET LOG_FILE LOG_DIR WEB_PORT DEV',
    ].flatMap((line) => line.split(' '));
    const environment = Object.fromEntries(ordinary.map((name) => [name, 'x']));
    expect(misspeltSettings({ ...environment, SMTP_PORT: 'tcp://10.0.0.4:25' })).toEqual([]);
    expect(misspeltSettings(Object.fromEntries(SETTINGS.map((name) => [name, 'x'])))).toEqual([]);
    expect(misspeltSettings(Object.fromEntries(SETTINGS.map((name) => [`${name}_FILE`, 'x'])))).toEqual([]);
    expect(misspeltSettings(process.env)).toEqual([]);
  });
});

describe('the page of the configuration', () => {
  const page = path.join(import.meta.dirname, '..', '..', 'docs', 'operations', 'configuration.md');
  const rows = [...readFileSync(page, 'utf8').matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (.+?) \|/gmu)].map((match) => ({
    name: match[1] ?? '',
    byDefault: match[2] ?? '',
  }));

  test('has a line for each setting, and no other', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual([...SETTINGS].sort());
  });

  test.each(rows.filter(({ byDefault }) => /^(?:`[^`]+`|on|off)$/u.test(byDefault)))(
    'says the default that the parser has: $name $byDefault',
    ({ name, byDefault }) => {
      const value = byDefault.replaceAll('`', '');
      if (value.includes('PORT')) return;
      expect(readConfig({ [name]: value })).toEqual(readConfig({}));
    },
  );
});
