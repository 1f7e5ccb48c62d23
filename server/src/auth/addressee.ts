import { createHash } from 'node:crypto';

import type { Scope } from './operation.ts';

/** Messages to one address or number, whoever asks for them: nobody is buried under them, and no code guessed at for long. */
const PER_ADDRESSEE = { capacity: 10, perSeconds: 3600 };

/** Whether one more message may leave for this address or number, which is then counted. Not within a transaction. */
export async function mayReceive(scope: Scope, addressee: string): Promise<boolean> {
  return (await secondsUntilNext(scope, addressee)) === 0;
}

/** The same as seconds to wait; 0 for none. */
export async function secondsUntilNext({ services }: Scope, addressee: string): Promise<number> {
  const name = createHash('sha256').update(addressee).digest('hex');
  return services.rateLimit.takeToken(`auth:to:${name}`, PER_ADDRESSEE);
}
