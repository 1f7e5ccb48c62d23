import { once } from 'node:events';
import { createServer } from 'node:net';

import { ConfigurationError } from '../config.ts';
import type { Config } from '../config.ts';

/**
 * Tries the address that the server will listen on, before anything is started or written.
 * @throws ConfigurationError saying what is wrong with HOST or PORT.
 */
export async function requireFreeAddress({ host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port, exclusive: true });
    await once(probe, 'listening');
  } catch (error) {
    throw new ConfigurationError(sentenceOf(error, host, port), { cause: error });
  } finally {
    probe.close();
  }
}

function sentenceOf(error: unknown, host: string, port: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  switch (code) {
    case 'EADDRINUSE':
      return `Le port ${port} est déjà utilisé par un autre programme : arrêtez-le, ou choisissez un autre port avec la variable PORT.`;
    case 'EACCES':
      return `Le système réserve le port ${port} : choisissez-en un au-dessus de 1023 avec la variable PORT, et placez un serveur mandataire (proxy) devant.`;
    case 'EADDRNOTAVAIL':
      return `La variable HOST est incorrecte : ${host} n'est pas une adresse de cette machine (127.0.0.1 pour elle seule, 0.0.0.0 pour toutes les siennes).`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `La variable HOST est incorrecte : aucune machine ne s'appelle ${host} (127.0.0.1 pour cette machine seule, 0.0.0.0 pour toutes ses adresses).`;
    default:
      return `Le serveur ne peut pas écouter sur ${host}, port ${port} (${code}) : voyez les variables HOST et PORT.`;
  }
}
