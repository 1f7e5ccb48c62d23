import type { DeliveryError } from '@parrain/domain/webhook';

import { outwardRequest, plainWords } from '#platform/outward-request';
import type { OutwardOptions } from '#platform/outward-request';

export type PostOutcome = {
  /** Null where nothing answered. */
  readonly status: number | null;
  /** The beginning of the answer. */
  readonly answer: string | null;
  readonly error: DeliveryError | null;
  readonly tookMs: number;
  /** Delay that the receiver asks for before the next attempt, in seconds. */
  readonly retryAfter: number | null;
};

export type PostOptions = Omit<OutwardOptions, 'answerBytes'>;

const ANSWER_BYTES = 1024;

/**
 * Posts JSON, or what the headers say that it is, to an address that a person gave, with the care of `outwardRequest`.
 * @throws where `signal` is aborted; any other trouble is in the outcome.
 */
export async function post(
  address: string,
  message: { readonly body: string | Buffer; readonly headers: Readonly<Record<string, string>> },
  options: PostOptions,
): Promise<PostOutcome> {
  const { status, bytes, error, retryAfter, tookMs } = await outwardRequest(
    address,
    {
      method: 'POST',
      body: message.body,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Parrain-Webhooks/1',
        ...message.headers,
      },
    },
    { ...options, answerBytes: ANSWER_BYTES },
  );
  return { status, answer: status === null ? null : plainWords(bytes), error, retryAfter, tookMs };
}
