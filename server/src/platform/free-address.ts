import { once } from 'node:events';
import { connect, createServer } from 'node:net';

import { ConfigurationError } from '../config.ts';
import type { Config } from '../config.ts';

type Address = Pick<Config, 'host' | 'port'>;

/**
 * Tries the address that the server will listen on, before anything is started or written. Never by listening on its port: a proxy that
 * has found the port closed would send it a request, which is lost when the trial ends (FX-25).
 * @throws ConfigurationError saying what is wrong with HOST or PORT.
 */
export async function requireFreeAddress({ host, port }: Address): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port: 0, exclusive: true });
    await once(probe, 'listening');
  } catch (error) {
    throw addressRefused(error, { host, port });
  } finally {
    probe.close();
  }
  if (port !== 0 && (await isAnswered(host, port)))
    throw addressRefused(Object.assign(new Error('The port is taken'), { code: 'EADDRINUSE' }), { host, port });
}

/** The error of a server that could not listen there, as a sentence for who set HOST and PORT. */
export function addressRefused(error: unknown, { host, port }: Address): ConfigurationError {
  return new ConfigurationError(sentenceOf(error, host, port), { cause: error });
}

/** True if a program accepts connections there. */
async function isAnswered(host: string, port: number): Promise<boolean> {
  // A server on every address answers on this machine's own.
  const socket = connect({ host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port });
  socket.setTimeout(1000, () => socket.destroy(new Error('No answer')));
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
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
