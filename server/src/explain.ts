import { EmbeddedPostgresError } from '@parrain/database/embedded';
import { MigrationError } from '@parrain/database/migrate';
import { Failure } from '@parrain/domain/failure';

import { ConfigurationError } from './config.ts';
import { isConnectionLoss } from './platform/database-errors.ts';

/**
 * Tells the person who started a program what stopped it and what to do: a sentence where the cause is theirs to mend, the
 * trace where it is ours.
 * @param databaseUrl DATABASE_URL, of which neither user nor password is ever repeated
 */
export function explain(error: unknown, databaseUrl: string | null): string {
  if (!(error instanceof Error)) return String(error);
  if (isExplained(error)) return error.message;
  return (databaseUrl === null ? null : sentenceOf(error, databaseUrl)) ?? error.stack ?? error.message;
}

/** True if the error's message is a sentence for the person who started the program. */
export function isExplained(error: unknown): boolean {
  return [ConfigurationError, EmbeddedPostgresError, MigrationError, Failure].some((kind) => error instanceof kind);
}

/** The likely cause of a failed connection to an external PostgreSQL; null for any other error. */
function sentenceOf(error: Error, databaseUrl: string): string | null {
  // Several hosts, which libpq allows, are no address for URL.
  const [, place = '', database = ''] = /^\w+:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/u.exec(databaseUrl) ?? [];
  const code = 'code' in error ? String(error.code) : '';
  switch (code) {
    case '28P01':
    case '28000':
      return `PostgreSQL (${place}) refuse l'utilisateur ou le mot de passe de DATABASE_URL. Corrigez-les ; un caractère spécial s'y écrit %XX.`;
    case '3D000':
      return `La base « ${database} » de DATABASE_URL n'existe pas sur ${place} : créez-la (create database), ou corrigez son nom.`;
    case '53300':
      return `PostgreSQL (${place}) n'a plus de connexion libre : augmentez max_connections, ou arrêtez ce qui l'occupe.`;
    case '57P03':
      return `PostgreSQL (${place}) démarre ou s'arrête : recommencez dans un instant.`;
    default:
  }
  if (/SSL|TLS|certificate/iu.test(error.message)) {
    return `La connexion chiffrée à PostgreSQL (${place}) a échoué : ${error.message}. Voyez sslmode dans DATABASE_URL.`;
  }
  if (!isConnectionLoss(error)) return null;
  return `La base de données indiquée par DATABASE_URL (${place}) ne répond pas (${error.message || code}) : vérifiez l'adresse, et que PostgreSQL y écoute.`;
}
