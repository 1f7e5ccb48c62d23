import { hostsOf } from '@parrain/database/connect';
import { bech32 } from '@scure/base';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

import { captchaService } from './platform/captcha.ts';
import type { Captcha } from './platform/captcha.ts';
import { oidcProviders, samlProviders, web3Chains } from './platform/identity-providers.ts';
import type { OidcProvider, SamlProvider, Web3Chain } from './platform/identity-providers.ts';

/** Configuration from the environment, parsed once at start. No other file of the server reads `process.env`. */
export type Config = {
  readonly port: number;
  /** The address to listen on. */
  readonly host: string;
  /** Folder of the embedded database and of the master key, used when `databaseUrl` is absent. */
  readonly dataDir: string;
  /** The owner's connection to an external PostgreSQL; null means the embedded one. */
  readonly databaseUrl: string | null;
  /** A copy that long readings may be made on, as the owner; null means the database itself. */
  readonly databaseReadUrl: string | null;
  /** The address people use, without a trailing slash; null means `http://localhost:<port>`. */
  readonly publicUrl: string | null;
  readonly smtpUrl: string | null;
  /** The sender of every mail, `Name <address>` or a bare address. */
  readonly mailFrom: string;
  /** Hourly limit of mails caused by registering, signing in and changing accounts; null means no limit. */
  readonly mailsPerHour: number | null;
  readonly calendlyUrl: string | null;
  /** The European register of VAT numbers, asked before an admin accepts one; null where nobody is asked (DF-23). */
  readonly vatRegisterUrl: string | null;
  /** Country or place of the hosting, as the public pages print it: « en France ». Null: they print nothing. */
  readonly hostedIn: string | null;
  /** The name of the application once it is installed on a phone or a desktop. */
  readonly appName: string;
  /** Registration needs the mailed link to be followed first; else it signs in at once (A-05). */
  readonly signupConfirmation: boolean;
  /** Self-registration is closed: the company alone opens accounts. */
  readonly signupDisabled: boolean;
  /** SMS gateway; null disables text messages and sign-in by telephone. */
  readonly smsUrl: string | null;
  /** Anonymous sign-in is allowed. */
  readonly anonymousSignIn: boolean;
  /** CAPTCHA provider for signing in and registering; null means no CAPTCHA. */
  readonly captcha: Captcha | null;
  /** Further addresses that a link of a mail may lead to, with `*` and `**`. */
  readonly redirectUrls: readonly string[];
  /** A new password needs the current one. */
  readonly requireCurrentPassword: boolean;
  /** Only programs of this machine reach the server, by an address that is this machine's. */
  readonly isOfThisMachine: boolean;
  /** The demo company is loaded into an empty database, and its accounts, whose password is public, can sign in. */
  readonly demo: boolean;
  /** The demo is explicitly open to other machines (`DEMO=public`). */
  readonly isDemoPublic: boolean;
  /** S3 bucket of stored files; null keeps them in the database. */
  readonly s3Url: string | null;
  /** Destination of scheduled backups, a folder or an S3 address; null disables them. */
  /** Told of each alarm that is raised or over; null tells nobody but the admins. */
  readonly alarmWebhookUrl: string | null;
  readonly backupTo: string | null;
  /** Backup times in UTC: `02:30`, or `*:30` for every hour. */
  readonly backupAt: readonly string[];
  /** Retention: number of backups kept there. */
  readonly backupKeep: number;
  /** Backup encryption: a passphrase, or an age recipient. */
  readonly backupPassphrase: string | null;
  readonly backupRecipient: string | null;
  /** Age identity that decrypts a backup: for a restoration, never on a server. */
  readonly backupIdentity: string | null;
  /** The 32 bytes or more that every other secret derives from; null means one is kept beside the data. */
  readonly secretKey: Buffer | null;
  /** The key before it, while it is being replaced. */
  readonly oldSecretKey: Buffer | null;
  /** The service that knows leaked passwords; null means the list at hand alone. */
  readonly passwordLeakUrl: string | null;
  /** SMS is allowed as a second factor. */
  readonly mfaPhone: boolean;
  /** Session limits: maximum age, idle timeout, and lifetime at the first level for owners of a second factor. */
  readonly sessionMaxHours: number | null;
  readonly sessionIdleHours: number | null;
  readonly sessionLowAalMinutes: number | null;
  /** Single session: signing in ends the person's other sessions. */
  readonly sessionSingle: boolean;
  /** Origins allowed by CORS; `*` alone means any (no cookies are used). */
  readonly corsOrigins: readonly string[];
  /** External identity providers: OpenID, SAML, wallets. None by default. */
  readonly oidcProviders: readonly OidcProvider[];
  readonly samlProviders: readonly SamlProvider[];
  readonly web3Chains: readonly Web3Chain[];
  /** People may link and unlink identities of their account. */
  readonly manualLinking: boolean;
  /** Drain period: a stopping server still answers while load balancers notice. */
  readonly drainSeconds: number;
  /** Value of Strict-Transport-Security over https; null omits the header. */
  readonly hsts: string | null;
  /** Contact in security.txt: a web or mail address; null means the site itself. */
  readonly securityContact: string | null;
  /** Number of trusted proxies in front (X-Forwarded-For). */
  readonly trustProxy: number;
  /** Bearer token of /metrics; null disables the route. */
  readonly metricsToken: string | null;
  /** After how many days without a backup the admins are told; null means that another service makes them. */
  readonly backupAlarmDays: number | null;
  /** Null means: what suits where the output goes. */
  readonly logLevel: LogLevel | null;
  /** Lines for a person or lines of JSON; null means: what suits where the output goes. */
  readonly logFormat: 'text' | 'json' | null;
  /** Prefix length of a caller's address in the log: addresses are personal data. */
  readonly logAddress: LogAddress;
};

export type LogAddress = (typeof LOG_ADDRESSES)[number];

const LOG_ADDRESSES = ['short', 'full', 'none'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const PROJECT = path.join(import.meta.dirname, '..', '..');

/** The start is refused: one sentence per wrong variable, each naming it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from environment variables. Each may stand in a file, which the variable of that name and `_FILE`
 * names: how secrets are handed to a container.
 * @throws ConfigurationError naming each variable whose value cannot be used.
 */
export function readConfig(environment: Environment): Config {
  const given: Record<string, string> = {};
  const sentences: string[] = [];
  for (const name of SETTINGS) {
    try {
      const value = valueOf(environment, name);
      if (value !== undefined) given[name] = value;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      sentences.push(error.message);
    }
  }
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      sentences.push(`La variable ${issue.path.join('.')} est incorrecte : ${issue.message}`);
    }
  }
  if (!parsed.success || sentences.length > 0) throw new ConfigurationError([...new Set(sentences)].join('\n'));
  const value = parsed.data;
  if (value.BACKUP_TO !== null && value.BACKUP_PASSPHRASE === null && value.BACKUP_RECIPIENT === null) {
    throw new ConfigurationError(
      'La variable BACKUP_TO demande BACKUP_RECIPIENT ou BACKUP_PASSPHRASE : une sauvegarde est toujours chiffrée (npm run backup -- --new-key donne une clé).',
    );
  }
  const isPublicUrlLocal = value.PUBLIC_URL === null || isLocal(new URL(value.PUBLIC_URL).hostname);
  const isOfThisMachine = isLocal(value.HOST) && isPublicUrlLocal;
  const demo = value.DEMO ?? (value.DATABASE_URL === null && isPublicUrlLocal);
  if (value.SIGNUP_CONFIRMATION && value.SMTP_URL === null) {
    throw new ConfigurationError(
      "SIGNUP_CONFIRMATION=on promet un e-mail à chaque inscription, et aucun serveur d'e-mail n'est indiqué : donnez SMTP_URL, ou retirez SIGNUP_CONFIRMATION.",
    );
  }
  // The demo's password is known to everyone.
  if (demo === true && !isOfThisMachine) {
    throw new ConfigurationError(
      `Les comptes de démonstration ont un mot de passe public, et ${
        isPublicUrlLocal ? `HOST=${value.HOST}` : `PUBLIC_URL=${value.PUBLIC_URL}`
      } les ouvre à d'autres que cette machine : ` +
        'mettez DEMO=off pour une vraie installation, ou DEMO=public pour montrer la démonstration à tous.',
    );
  }
  // Servers that back up by themselves do so every day.
  const backupAlarmDays = value.BACKUP_ALARM_DAYS ?? (value.BACKUP_TO === null ? 7 : 2);
  return {
    port: value.PORT,
    host: value.HOST,
    dataDir: path.resolve(PROJECT, value.DATA_DIR),
    databaseUrl: value.DATABASE_URL,
    databaseReadUrl: value.DATABASE_READ_URL,
    publicUrl: value.PUBLIC_URL,
    smtpUrl: value.SMTP_URL,
    mailFrom: value.MAIL_FROM,
    mailsPerHour: value.MAILS_PER_HOUR === 0 ? null : value.MAILS_PER_HOUR,
    calendlyUrl: value.CALENDLY_URL,
    vatRegisterUrl: value.VIES_URL,
    alarmWebhookUrl: value.ALARM_WEBHOOK_URL,
    hostedIn: value.HOSTED_IN,
    appName: value.APP_NAME,
    signupConfirmation: value.SIGNUP_CONFIRMATION,
    signupDisabled: value.SIGNUP_DISABLED,
    smsUrl: value.SMS_URL,
    anonymousSignIn: value.ANONYMOUS_SIGN_IN,
    captcha: value.CAPTCHA,
    redirectUrls: value.REDIRECT_URLS,
    requireCurrentPassword: value.REQUIRE_CURRENT_PASSWORD,
    isOfThisMachine,
    demo: demo !== false,
    isDemoPublic: demo === 'public' && !isOfThisMachine,
    s3Url: value.STORAGE_S3_URL,
    backupTo: value.BACKUP_TO,
    backupAt: value.BACKUP_AT,
    backupKeep: value.BACKUP_KEEP,
    backupPassphrase: value.BACKUP_PASSPHRASE,
    backupRecipient: value.BACKUP_RECIPIENT,
    backupIdentity: value.BACKUP_IDENTITY,
    secretKey: value.SECRET_KEY,
    oldSecretKey: value.OLD_SECRET_KEY,
    passwordLeakUrl: value.PASSWORD_LEAK_CHECK,
    mfaPhone: value.MFA_PHONE,
    sessionMaxHours: value.SESSION_MAX_HOURS,
    sessionIdleHours: value.SESSION_IDLE_HOURS,
    sessionLowAalMinutes: value.SESSION_LOW_AAL_MINUTES,
    sessionSingle: value.SESSION_SINGLE,
    corsOrigins: value.CORS_ORIGINS,
    oidcProviders: value.OIDC_PROVIDERS,
    samlProviders: value.SAML_PROVIDERS,
    web3Chains: value.WEB3,
    manualLinking: value.MANUAL_LINKING,
    drainSeconds: value.DRAIN_SECONDS ?? (value.DATABASE_URL === null ? 0 : DRAIN_SECONDS_DEFAULT),
    hsts: value.HSTS,
    securityContact: value.SECURITY_CONTACT,
    trustProxy: value.TRUST_PROXY,
    metricsToken: value.METRICS_TOKEN,
    backupAlarmDays: demo === false && backupAlarmDays > 0 ? backupAlarmDays : null,
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT,
    logAddress: value.LOG_ADDRESS,
  };
}

/** The value of a variable, or of the file that its `_FILE` names. An empty one is how compose files say « not set ». */
function valueOf(environment: Environment, name: string): string | undefined {
  // Notepad opens a file of settings with a mark, which Node takes for the beginning of the first name.
  const value = (environment[name] ?? environment[`${BYTE_ORDER_MARK}${name}`])?.trim() || undefined;
  const file = environment[name + FILE]?.trim() || undefined;
  if (file === undefined) return value;
  if (value !== undefined) {
    throw new ConfigurationError(
      `Les variables ${name} et ${name}${FILE} sont données toutes les deux : gardez-en une.`,
    );
  }
  try {
    return readFileSync(file, 'utf8').replace(BYTE_ORDER_MARK, '').trim() || undefined;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new ConfigurationError(`La variable ${name}${FILE} désigne un fichier illisible : ${file} (${reason}).`);
  }
}

/** Stands at the head of files of some editors. */
export const BYTE_ORDER_MARK = '\ufeff';

/** True if a host name is a loopback name. */
function isLocal(host: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/iu.test(host);
}

/** Default drain where other nodes may take over: two health checks of a proxy that asks every two seconds. */
const DRAIN_SECONDS_DEFAULT = 5;

/** In the name of a machine a `*` stands for a part of it; the domain that follows the last one is somebody's, with its dot. */
function isRedirectPattern(address: string): boolean {
  const host = /^https?:\/\/([^\s/@?#\\:]+)(?::(?:\d+|\*))?(?:\/\S*)?$/iu.exec(address)?.[1];
  if (host === undefined || host.includes('**')) return false;
  return !host.includes('*') || /\.[^.*]+\.[^.*]+$/u.test(host.slice(host.lastIndexOf('*')));
}

function url(protocols: readonly string[], sentence: string) {
  return z.string().refine((text) => {
    const parsed = URL.parse(text);
    return parsed !== null && protocols.includes(parsed.protocol);
  }, sentence);
}

function integer(min: number, max: number, sentence: string) {
  return z
    .string()
    .regex(/^\d{1,5}$/u, sentence)
    .transform(Number)
    .refine((number) => number >= min && number <= max, sentence);
}

const YES_OR_NO = ['on', 'off', '1', '0', 'true', 'false', 'oui', 'non', 'yes', 'no'] as const;

function isYes(text: string): boolean {
  return ['on', '1', 'true', 'oui', 'yes'].includes(text);
}

function yesOrNo() {
  return z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(YES_OR_NO, 'il faut on ou off.'))
    .transform(isYes);
}

/** Offline guessing: a stolen backup can be attacked for years. */
export const PASSPHRASE_LENGTH_MIN = 16;

const SECRET_SENTENCE = 'il faut au moins 32 octets, écrits en base64 ou en hexadécimal.';

const HSTS_REACHES = ['host', 'subdomains', 'off'] as const;

/** Two years. The neighbours of a host are not ours to bind: only who owns the whole domain says so. */
const HSTS_HEADERS: Readonly<Record<(typeof HSTS_REACHES)[number], string | null>> = {
  host: 'max-age=63072000',
  subdomains: 'max-age=63072000; includeSubDomains',
  off: null,
};

const S3_SENTENCE = 'il faut une adresse https://cle:secret@hote/espace?region=eu-west-3.';

/** The rest of an S3 address, which names a bucket and who may use it. */
function isS3Address(text: string): boolean {
  const parsed = URL.parse(text);
  return parsed === null || (parsed.username !== '' && parsed.password !== '' && parsed.pathname.length > 1);
}

/** An X25519 key as the `age` tool writes it: a letter mistyped is found by its checksum. */
function ageKey(prefix: 'age' | 'age-secret-key-', sentence: string) {
  return z.string().refine((text) => bech32.decodeUnsafe(text.toLowerCase())?.prefix === prefix, sentence);
}

function masterKey() {
  return z
    .string()
    .transform((text, context) => {
      const bytes = /^[0-9a-f]{64,}$/iu.test(text)
        ? Buffer.from(text, 'hex')
        : /^[\w+/-]{43,}={0,2}$/u.test(text)
          ? Buffer.from(text, 'base64')
          : null;
      if (bytes === null || bytes.length < 32) {
        context.addIssue({ code: 'custom', message: SECRET_SENTENCE });
        return z.NEVER;
      }
      return bytes;
    })
    .nullable()
    .default(null);
}

/** One host, or several separated by commas, as libpq has them. */
function databaseAddress() {
  return z.string().refine(
    (text) =>
      hostsOf(text).every((one) => {
        const parsed = URL.parse(one);
        return parsed !== null && ['postgres:', 'postgresql:'].includes(parsed.protocol);
      }),
    'il faut une adresse postgres://utilisateur:motdepasse@hote:5432/base, ou plusieurs hôtes : …@hote1:5432,hote2:5432/base.',
  );
}

const schema = z.object({
  PORT: integer(0, 65_535, 'il faut un numéro de port entre 0 et 65535.').default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: databaseAddress()
    .refine((text) => {
      const wanted = /[?&]target_session_attrs=([^&]*)/u.exec(text)?.[1] ?? 'read-write';
      return ['any', 'read-write', 'primary'].includes(wanted);
    }, 'target_session_attrs doit être read-write : le serveur écrit.')
    .nullable()
    .default(null),
  DATABASE_READ_URL: databaseAddress().nullable().default(null),
  PUBLIC_URL: url(['http:', 'https:'], 'il faut une adresse http:// ou https://.')
    .refine((text) => {
      const parsed = URL.parse(text);
      return parsed === null || (parsed.search === '' && parsed.hash === '' && parsed.pathname === '/');
    }, "il faut l'origine seule, sans chemin ni paramètres (https://parrain.example.fr).")
    .transform((text) => new URL(text).origin)
    .nullable()
    .default(null),
  SMTP_URL: url(['smtp:', 'smtps:'], 'il faut une adresse smtp://utilisateur:motdepasse@hote:587.')
    .nullable()
    .default(null),
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u, 'il faut une adresse, ou « Nom <adresse> ».')
    .default('Parrain <no-reply@localhost>'),
  MAILS_PER_HOUR: integer(0, 99_999, 'il faut un nombre, de 0 (sans limite) à 99999.').default(1000),
  CALENDLY_URL: url(['https:'], 'il faut une adresse https://.').nullable().default(null),
  ALARM_WEBHOOK_URL: url(['https:', 'http:'], 'il faut une adresse https://.').nullable().default(null),
  VIES_URL: url(['https:', 'http:'], 'il faut une adresse https://.').nullable().default(null),
  HOSTED_IN: z
    .string()
    .regex(/^[\p{L}\p{M} ’'()-]{1,60}$/u, 'il faut quelques mots, comme « en France ».')
    .nullable()
    .default(null),
  APP_NAME: z
    .string()
    .regex(/^[\p{L}\p{M}\p{N} ’'&.()-]{1,30}$/u, 'il faut un nom court, comme « Lumeo Parrainage ».')
    .default('Parrain'),
  SIGNUP_CONFIRMATION: yesOrNo().default(false),
  SIGNUP_DISABLED: yesOrNo().default(false),
  SMS_URL: url(
    ['https:', 'http:', 'twilio:'],
    'il faut une adresse https://jeton@hote/chemin, ou twilio://SID:TOKEN@api.twilio.com?from=+33….',
  )
    .nullable()
    .default(null),
  ANONYMOUS_SIGN_IN: yesOrNo().default(false),
  CAPTCHA: captchaService.nullable().default(null),
  REDIRECT_URLS: z
    .string()
    .transform((text) => text.split(/[\s,]+/u).filter((address) => address !== ''))
    .refine(
      (addresses) => addresses.every(isRedirectPattern),
      'il faut des adresses séparées par des virgules (https://app.example.fr/retour, https://*.example.fr/**).',
    )
    .default([]),
  REQUIRE_CURRENT_PASSWORD: yesOrNo().default(true),
  STORAGE_S3_URL: url(['http:', 'https:'], S3_SENTENCE).refine(isS3Address, S3_SENTENCE).nullable().default(null),
  BACKUP_TO: z
    .string()
    .refine(
      (text) => !/^https?:/iu.test(text) || (URL.canParse(text) && isS3Address(text)),
      'il faut un dossier, ou une adresse https://cle:secret@hote/espace/dossier?region=eu-west-3.',
    )
    .nullable()
    .default(null),
  BACKUP_AT: z
    .string()
    .transform((text) => text.split(/[\s,]+/u).filter((time) => time !== ''))
    .refine(
      (times) => times.length > 0 && times.every((time) => /^(?:[01]\d|2[0-3]|\*):[0-5]\d$/u.test(time)),
      'il faut des heures UTC séparées par des virgules (02:30, ou *:30 pour chaque heure).',
    )
    .default(['02:30']),
  BACKUP_KEEP: integer(1, 99_999, 'il faut un nombre de sauvegardes, de 1 à 99999.').default(30),
  BACKUP_PASSPHRASE: z
    .string()
    .min(PASSPHRASE_LENGTH_MIN, `il faut au moins ${PASSPHRASE_LENGTH_MIN} caractères.`)
    .nullable()
    .default(null),
  BACKUP_RECIPIENT: ageKey('age', 'il faut la clé publique age1… que donne npm run backup -- --new-key.')
    .nullable()
    .default(null),
  BACKUP_IDENTITY: ageKey(
    'age-secret-key-',
    'il faut la clé secrète AGE-SECRET-KEY-1… que npm run backup -- --new-key a donnée.',
  )
    .nullable()
    .default(null),
  DEMO: z
    .string()
    .transform((text) => text.toLowerCase())
    .pipe(z.enum([...YES_OR_NO, 'public'], 'il faut on, off ou public.'))
    .transform((text) => (text === 'public' ? 'public' : isYes(text)))
    .optional(),
  SECRET_KEY: masterKey(),
  OLD_SECRET_KEY: masterKey(),
  PASSWORD_LEAK_CHECK: z
    .string()
    .transform((text) => (text === 'local' ? null : text === 'hibp' ? 'https://api.pwnedpasswords.com' : text))
    .refine(
      (text) => text === null || ['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''),
      "il faut local, hibp, ou l'adresse https:// d'un service qui répond comme celui de Have I Been Pwned.",
    )
    .default(null),
  MFA_PHONE: yesOrNo().default(false),
  SESSION_MAX_HOURS: integer(1, 8760, "il faut un nombre d'heures, de 1 à 8760.").nullable().default(null),
  SESSION_IDLE_HOURS: integer(1, 8760, "il faut un nombre d'heures, de 1 à 8760.").nullable().default(null),
  SESSION_LOW_AAL_MINUTES: integer(1, 1440, 'il faut un nombre de minutes, de 1 à 1440.').nullable().default(null),
  SESSION_SINGLE: yesOrNo().default(false),
  CORS_ORIGINS: z
    .string()
    .transform((text) => text.split(/[\s,]+/u).filter((origin) => origin !== ''))
    .refine(
      (origins) =>
        origins.every((origin) => origin === '*' || URL.parse(origin)?.origin === origin) &&
        (origins.length === 1 || !origins.includes('*')),
      'il faut « * » seule, ou des origines séparées par des virgules (https://app.example.fr).',
    )
    .default(['*']),
  OIDC_PROVIDERS: oidcProviders.default([]),
  SAML_PROVIDERS: samlProviders.default([]),
  WEB3: web3Chains.default([]),
  MANUAL_LINKING: yesOrNo().default(false),
  DRAIN_SECONDS: integer(0, 20, 'il faut un nombre de secondes, de 0 à 20.').optional(),
  HSTS: z
    .enum(HSTS_REACHES, `il faut l'un de : ${HSTS_REACHES.join(', ')}.`)
    .transform((reach) => HSTS_HEADERS[reach])
    .default(HSTS_HEADERS.host),
  SECURITY_CONTACT: z
    .string()
    .transform((text) => (/^[^\s:/@]+@[^\s:/@]+$/u.test(text) ? `mailto:${text}` : text))
    .refine(
      (text) => /^(?:https:\/\/|mailto:[^\s@]+@)[^\s]+$/u.test(text),
      'il faut une adresse e-mail ou une adresse https://.',
    )
    .nullable()
    .default(null),
  TRUST_PROXY: integer(0, 10, 'il faut le nombre de mandataires (proxies) de confiance, de 0 à 10.').default(0),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,200}$/u, 'il faut de 16 à 200 caractères, sans espace.')
    .nullable()
    .default(null),
  BACKUP_ALARM_DAYS: integer(0, 365, 'il faut un nombre de jours, de 0 (sans alarme) à 365.').optional(),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, `il faut l'un de : ${LOG_LEVELS.join(', ')}.`)
    .nullable()
    .default(null),
  LOG_FORMAT: z.enum(['text', 'json'], 'il faut text ou json.').nullable().default(null),
  LOG_ADDRESS: z.enum(LOG_ADDRESSES, `il faut l'un de : ${LOG_ADDRESSES.join(', ')}.`).default('short'),
});

const FILE = '_FILE';

/** The name of every variable, without those of files. */
export const SETTINGS: readonly string[] = Object.keys(schema.shape);
