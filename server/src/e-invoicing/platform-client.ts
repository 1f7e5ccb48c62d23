import { platformLookUpEndless, platformTrouble, platformUnreadable } from '@parrain/domain/e-invoice';
import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';

import { outwardRequest, plainWords } from '#platform/outward-request';
import type { OutwardAnswer, OutwardMessage } from '#platform/outward-request';

// The API of AFNOR XP Z12-013 (flow and directory services), as far as depositing takes it: decision 0101.

/** A platform and the company's access to it. */
export type PlatformAccess = {
  readonly flowUrl: string;
  readonly directoryUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
};

export type PlatformOptions = {
  readonly isPrivateAllowed: boolean;
  readonly timeoutMs: number;
};

/** A flow as the platform tells it: an invoice of ours, or a status of one. */
export type Flow = z.infer<typeof flow>;

export type Deposit = {
  /** Stable: the same invoice, or status, has the same one at each try. */
  readonly trackingId: string;
  readonly name: string;
  readonly bytes: Buffer;
  /** An invoice, or a step of the life of one that came in. */
  readonly syntax: 'Factur-X' | 'CDAR';
};

export type PlatformClient = ReturnType<typeof createPlatformClient>;

/** One of the three addresses that a platform gives. */
type Place = 'flow' | 'directory' | 'token';
type Answer = OutwardAnswer & { readonly place: Place };
type FailedAnswer = Pick<Answer, 'place'> & Partial<OutwardAnswer>;

/** A call that did not succeed, in the words that an admin reads, and where. */
export class PlatformTrouble extends Error {
  readonly status: number | null;
  readonly retryAfter: number | null;
  readonly place: Place;

  constructor({ place, ...answer }: FailedAnswer, words?: string) {
    const { status = null, error = null, bytes = Buffer.alloc(0), retryAfter = null } = answer;
    super(words ?? platformTrouble({ status, error, words: wordsIn(bytes) }));
    this.status = status;
    this.retryAfter = retryAfter;
    this.place = place;
  }

  /** True where the same flow would be refused for ever. */
  get isFinal(): boolean {
    return this.status !== null && FINAL.has(this.status);
  }
}

const FINAL: ReadonlySet<number> = new Set([400, 409, 413, 415, 422]);
const ANSWER_BYTES = 1_048_576;
/** Of a document that is kept. */
export const DOCUMENT_BYTES = 5 * 1_048_576;
const WORDS_MAX = 500;
/** A token is asked for anew a little before its end. */
const TOKEN_MARGIN_MS = 30_000;
const TOKEN_LASTS_S = 300;
export const PAGE = 100;
/** Read at most for one deposit, of a platform that does not look for a tracking id: 10 000 flows. */
const LOOK_UP_PAGES = 100;

const detail = z.object({
  reasonCode: z.optional(z.nullable(z.string())),
  reasonMessage: z.optional(z.nullable(z.string())),
});
const flow = z.object({
  flowId: z.string().check(z.minLength(1), z.maxLength(100)),
  trackingId: z.optional(z.nullable(z.string())),
  name: z.optional(z.nullable(z.string())),
  flowType: z.optional(z.nullable(z.string())),
  flowDirection: z.optional(z.nullable(z.string())),
  flowSyntax: z.optional(z.nullable(z.string())),
  updatedAt: z.optional(z.nullable(z.string())),
  acknowledgement: z.optional(
    z.nullable(z.object({ status: z.string(), details: z.optional(z.nullable(z.array(detail))) })),
  ),
});
const found = z.object({ results: z.array(flow) });
const company = z.object({ siren: z.string() });
const token = z.object({ access_token: z.string(), expires_in: z.optional(z.number()) });
const error = z.object({
  errorCode: z.optional(z.string()),
  errorMessage: z.optional(z.string()),
  message: z.optional(z.string()),
  error: z.optional(z.string()),
  error_description: z.optional(z.string()),
});

/** Speaks to one platform, with one token for all its calls. */
export function createPlatformClient(access: PlatformAccess, options: PlatformOptions) {
  const addresses = { flow: access.flowUrl, directory: access.directoryUrl, token: access.tokenUrl };
  let held: { readonly bearer: string; readonly until: number } | undefined;

  async function ask(
    place: Place,
    path: string,
    message: OutwardMessage,
    signal: AbortSignal,
    answerBytes = ANSWER_BYTES,
  ): Promise<Answer> {
    const answer = await outwardRequest(`${addresses[place]}${path}`, message, { ...options, signal, answerBytes });
    return { ...answer, place };
  }

  async function bearer(signal: AbortSignal): Promise<string> {
    if (held !== undefined && held.until > Date.now()) return held.bearer;
    const answer = await ask(
      'token',
      '',
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: access.clientId,
          client_secret: access.clientSecret,
        }).toString(),
      },
      signal,
    );
    // A wrong client is 400 or 401 (RFC 6749, 5.2): the invoice is not what is refused. What is said of it may repeat what was sent.
    const bytes = withoutSecret(answer.bytes, access.clientSecret);
    if (answer.status === 400) throw new PlatformTrouble({ ...answer, bytes, status: 401 });
    if (!isGood(answer)) throw new PlatformTrouble({ ...answer, bytes });
    const { access_token: given, expires_in: lasts = TOKEN_LASTS_S } = read(token, answer);
    held = { bearer: given, until: Date.now() + lasts * 1000 - TOKEN_MARGIN_MS };
    return given;
  }

  /** A call with a token; once more with another one where it was over before its time. */
  async function call(
    place: Place,
    path: string,
    message: OutwardMessage,
    signal: AbortSignal,
    answerBytes?: number,
  ): Promise<Answer> {
    const withToken = async (): Promise<Answer> =>
      ask(
        place,
        path,
        {
          ...message,
          headers: { ...message.headers, authorization: `Bearer ${await bearer(signal)}`, 'request-id': randomUUID() },
        },
        signal,
        answerBytes,
      );
    const answer = await withToken();
    if (answer.status !== 401) return answer;
    held = undefined;
    return withToken();
  }

  async function search(
    where: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    limit = PAGE,
  ): Promise<readonly Flow[]> {
    const answer = await call(
      'flow',
      '/v1/flows/search',
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ where, limit }),
      },
      signal,
    );
    return read(found, answer).results;
  }

  async function original(flowId: string, signal: AbortSignal, answerBytes?: number): Promise<Answer> {
    const path = `/v1/flows/${encodeURIComponent(flowId)}?docType=Original`;
    const answer = await call('flow', path, { method: 'GET', headers: { accept: '*/*' } }, signal, answerBytes);
    if (!isGood(answer)) throw new PlatformTrouble(answer);
    return answer;
  }

  return {
    /** The flow of this deposit that the platform has already, but for those that it refused; null where it has none. */
    async find(
      { trackingId, name, syntax }: Omit<Deposit, 'bytes'>,
      refused: readonly string[],
      signal: AbortSignal,
    ): Promise<string | null> {
      let after: string | undefined;
      for (let page = 0; page < LOOK_UP_PAGES; page += 1) {
        const flows = await search({ trackingId, ...(after !== undefined && { updatedAfter: after }) }, signal);
        // What a platform does not filter is left out here.
        const ours = flows.find(
          (one) =>
            (one.trackingId === trackingId || (!one.trackingId && one.name === name)) &&
            (one.flowSyntax === 'CDAR') === (syntax === 'CDAR') &&
            one.acknowledgement?.status.toLowerCase() !== 'error' &&
            !refused.includes(one.flowId),
        );
        if (ours !== undefined) return ours.flowId;
        const last = flows.at(-1)?.updatedAt ?? undefined;
        if (flows.length < PAGE || last === undefined || last === after) return null;
        after = last;
      }
      // Nothing leaves twice: what cannot be looked up waits.
      throw new PlatformTrouble({ place: 'flow' }, platformLookUpEndless);
    },

    /** Deposits an invoice or a status. @returns the flow's id. */
    async deposit({ trackingId, name, bytes, syntax }: Deposit, signal: AbortSignal): Promise<string> {
      const info = {
        trackingId,
        name,
        flowSyntax: syntax,
        ...(syntax === 'Factur-X' && { flowProfile: 'CIUS' }),
        processingRule: 'B2B',
        sha256: createHash('sha256').update(bytes).digest('hex'),
      };
      const { type, body } = multipart(info, name, bytes, syntax === 'CDAR' ? 'application/xml' : 'application/pdf');
      const answer = await call(
        'flow',
        '/v1/flows',
        { method: 'POST', headers: { 'content-type': type, accept: 'application/json' }, body },
        signal,
      );
      return read(flow, answer).flowId;
    },

    /** Reads a flow that was taken; its acknowledgement is « Pending », « Ok » or « Error ». */
    async flow(flowId: string, signal: AbortSignal): Promise<Flow> {
      const path = `/v1/flows/${encodeURIComponent(flowId)}?docType=Metadata`;
      return read(flow, await call('flow', path, { method: 'GET', headers: { accept: 'application/json' } }, signal));
    },

    /** A page of the life-cycle statuses that came after this instant, the oldest first. */
    async statusesAfter(updatedAfter: string, signal: AbortSignal): Promise<readonly Flow[]> {
      return search({ updatedAfter, flowType: ['SupplierInvoiceLC', 'CustomerInvoiceLC'] }, signal);
    },

    /** A page of the invoices that came in after this instant, the oldest first. */
    async receivedAfter(updatedAfter: string, limit: number, signal: AbortSignal): Promise<readonly Flow[]> {
      return search({ updatedAfter, flowType: ['SupplierInvoice'], flowDirection: ['In'] }, signal, limit);
    },

    /** The document of a flow that came in, whole; null where it is larger than what is kept. */
    async document(flowId: string, signal: AbortSignal): Promise<Buffer | null> {
      const answer = await original(flowId, signal, DOCUMENT_BYTES + 1);
      if (answer.bytes.length > DOCUMENT_BYTES) return null;
      // Half of a file is none: it is asked for again.
      if (!answer.isWhole || answer.bytes.length === 0)
        throw new PlatformTrouble({ ...answer, status: null, error: 'network' });
      return answer.bytes;
    },

    /** The message of a flow that says steps. */
    async message(flowId: string, signal: AbortSignal): Promise<string> {
      return (await original(flowId, signal)).bytes.toString('utf8');
    },

    /** Tries the platform: that it answers, takes our access, and knows this company. */
    async try(siren: string, signal: AbortSignal): Promise<'good' | 'siren_unknown'> {
      const health = await call('flow', '/v1/healthcheck', { method: 'GET', headers: {} }, signal);
      if (!isGood(health)) throw new PlatformTrouble(health);
      // Its health needs no token everywhere: the directory does.
      const known = await call(
        'directory',
        `/v1/siren/code-insee:${siren}`,
        { method: 'GET', headers: { accept: 'application/json' } },
        signal,
      );
      if (known.status === 404) return 'siren_unknown';
      // A page of any site answers 200 too: the directory repeats the company that it was asked about.
      if (read(company, known).siren.replaceAll(/\s/gu, '') !== siren) throw unreadable(known);
      return 'good';
    },
  };
}

/** Words of a token service that may repeat the form that it was sent. */
function withoutSecret(bytes: Buffer, secret: string): Buffer {
  const written = [
    secret,
    encodeURIComponent(secret),
    new URLSearchParams({ s: secret }).toString().slice('s='.length),
  ];
  return Buffer.from(written.reduce((text, one) => text.replaceAll(one, '•••'), bytes.toString('utf8')));
}

function isGood({ status }: OutwardAnswer): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** @throws PlatformTrouble where the answer is no success, or not what the norm says. */
function read<Shape extends z.ZodMiniType>(shape: Shape, answer: Answer): z.output<Shape> {
  if (!isGood(answer)) throw new PlatformTrouble(answer);
  const parsed = shape.safeParse(jsonOf(answer.bytes));
  if (!parsed.success) throw unreadable(answer);
  return parsed.data;
}

function unreadable({ place }: Answer): PlatformTrouble {
  return new PlatformTrouble({ place }, platformUnreadable);
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function wordsIn(bytes: Buffer): string {
  const said = error.safeParse(jsonOf(bytes));
  const words = said.success
    ? [
        said.data.errorCode,
        said.data.errorMessage ?? said.data.message ?? said.data.error_description ?? said.data.error,
      ]
        .filter((part) => part !== undefined)
        .join(', ')
    : '';
  return shortWords(words === '' && !bytes.toString('utf8').startsWith('<') ? plainWords(bytes) : words);
}

/** One line of another server's words. */
export function shortWords(text: string): string {
  const line = plainWords(Buffer.from(text)).replaceAll(/\s+/gu, ' ').trim();
  return line.length > WORDS_MAX ? `${line.slice(0, WORDS_MAX)}…` : line;
}

/** Reasons that an acknowledgement gives. */
export function reasonsOf({ acknowledgement }: Flow): string {
  const details = acknowledgement?.details ?? [];
  return shortWords(
    details
      .map(({ reasonCode, reasonMessage }) => [reasonCode, reasonMessage].filter(Boolean).join(' : '))
      .filter((words) => words !== '')
      .join(' ; '),
  );
}

/** A part of JSON without a file's name, and the file: what servers of the norm read. */
function multipart(
  info: object,
  name: string,
  bytes: Buffer,
  fileType: string,
): { readonly type: string; readonly body: Buffer } {
  const boundary = randomUUID();
  const head = (disposition: string, type: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([
      Buffer.from(`${head('name="flowInfo"', 'application/json')}${JSON.stringify(info)}\r\n`),
      Buffer.from(head(`name="file"; filename="${name}"`, fileType)),
      bytes,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
