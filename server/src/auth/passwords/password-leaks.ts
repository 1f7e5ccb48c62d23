import { createHash } from 'node:crypto';

import type { Scope } from '../protocol/operation.ts';

const TIMEOUT_MS = 5000;
/** After a failure the service is not asked for a while. */
const PAUSE_MS = 30_000;
const ANSWER_BYTES_MAX = 1_000_000;
const PREFIX_LENGTH = 5;

const pausedUntil = new Map<string, number>();

/**
 * Asks the configured service for a leaked password by k-anonymity: it gets the first five characters of a SHA-1, shared by
 * a thousand passwords, and answers with the rest of each. Without an answer the password passes.
 */
export async function isInALeak(password: string, { settings, services }: Scope): Promise<boolean> {
  const { passwordLeakUrl: base } = settings;
  if (base === null || (pausedUntil.get(base) ?? 0) > Date.now()) return false;
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase();
  try {
    const suffixes = await suffixesOf(base, hash.slice(0, PREFIX_LENGTH));
    return suffixes.has(hash.slice(PREFIX_LENGTH));
  } catch (error) {
    pausedUntil.set(base, Date.now() + PAUSE_MS);
    services.log.warn({ err: error }, 'The service of leaked passwords does not answer');
    return false;
  }
}

async function suffixesOf(base: string, prefix: string): Promise<ReadonlySet<string>> {
  const response = await fetch(`${base.replace(/\/$/u, '')}/range/${prefix}`, {
    // Padding: the size of the answer does not reveal the question.
    headers: { 'add-padding': 'true', 'user-agent': 'Parrain' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`It answered ${response.status}`);
  }
  if (Number(response.headers.get('content-length') ?? 0) > ANSWER_BYTES_MAX) throw new Error('It answered too much');
  const lines = (await response.text()).split(/\r?\n/u);
  return new Set(
    lines.flatMap((line) => {
      const [suffix = '', count = '0'] = line.trim().split(':');
      return Number(count) > 0 ? [suffix.toUpperCase()] : [];
    }),
  );
}
