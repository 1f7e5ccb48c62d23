import { errorCodes } from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** The largest body of a caller without an account: forms, and nothing longer than a page of text. */
export const ANONYMOUS_BYTES_MAX = 16_384;
/** The depth of a JSON body. Parsers, PostgreSQL's too, go down on a limited stack, and no payload of ours has ten levels. */
export const JSON_DEPTH_MAX = 64;

/**
 * Refuses a body that its headers announce as larger than `bytesMax`, or announce no length of, before a byte of it is read.
 * Browsers and the official client always say the length of what they post.
 * @throws FastifyError of status 413
 */
export function refuseLargeBody({ headers }: FastifyRequest, bytesMax = ANONYMOUS_BYTES_MAX): void {
  const isUnknown = headers['transfer-encoding'] !== undefined && Number.isFinite(bytesMax);
  if (isUnknown || Number(headers['content-length'] ?? 0) > bytesMax) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
}

/** True when a JSON text has more levels than `depthMax`. One pass, which ends at the first level too many. */
export function isTooDeep(json: string, depthMax = JSON_DEPTH_MAX): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        isText = !isText;
        break;
      case BACKSLASH:
        if (isText) at += 1;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (!isText && (depth += 1) > depthMax) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        if (!isText) depth -= 1;
        break;
    }
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Reads JSON bodies: by Fastify's own parser, which refuses prototype poisoning, where they are not too deep. An empty body
 * is no payload, as the official client sends it.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text.trim() === '') done(null, undefined);
    else if (isTooDeep(text)) done(new errorCodes.FST_ERR_CTP_INVALID_JSON_BODY());
    else void parse(request, text, done);
  });
}
