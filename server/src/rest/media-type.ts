import { RestError } from './rest-error.ts';

/** The shape of an answer. */
export type MediaType = {
  readonly shape: 'array' | 'object' | 'csv';
  /** Keys whose value is null are left out. */
  readonly stripNulls: boolean;
  readonly contentType: string;
};

const CHARSET = '; charset=utf-8';
const JSON_ARRAY: MediaType = { shape: 'array', stripNulls: false, contentType: `application/json${CHARSET}` };
const CSV: MediaType = { shape: 'csv', stripNulls: false, contentType: `text/csv${CHARSET}` };
const OBJECT_TYPE = 'application/vnd.pgrst.object+json';
const ARRAY_TYPE = 'application/vnd.pgrst.array+json';

/**
 * The first type of `Accept`, by its quality, that this door can answer.
 * @throws RestError PGRST107 where there is none.
 */
export function negotiate(accept: string | undefined): MediaType {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return JSON_ARRAY;
  for (const { type, parameters } of wantedTypes(accept)) {
    const stripNulls = parameters.includes('nulls=stripped');
    switch (type) {
      case '*/*':
      case 'application/*':
      case 'application/json':
      case 'application/vnd.pgrst.array':
      case ARRAY_TYPE:
        if (!stripNulls) return JSON_ARRAY;
        return { shape: 'array', stripNulls, contentType: `${ARRAY_TYPE};nulls=stripped${CHARSET}` };
      case 'application/vnd.pgrst.object':
      case OBJECT_TYPE:
        return {
          shape: 'object',
          stripNulls,
          contentType: `${OBJECT_TYPE}${stripNulls ? ';nulls=stripped' : ''}${CHARSET}`,
        };
      case 'text/csv':
      case 'text/*':
        return CSV;
      default:
    }
  }
  throw notAcceptable(accept);
}

const DESCRIPTION: MediaType = {
  shape: 'object',
  stripNulls: false,
  contentType: `application/openapi+json${CHARSET}`,
};

/** The media type of the root, which describes the schema. */
export function negotiateDescription(accept = '*/*'): MediaType {
  const known = new Set(['*/*', 'application/*', 'application/json', 'application/openapi+json']);
  if (!wantedTypes(accept).some(({ type }) => known.has(type))) throw notAcceptable(accept);
  return DESCRIPTION;
}

type Wanted = { readonly type: string; readonly parameters: readonly string[]; readonly quality: number };

function wantedTypes(accept: string): Wanted[] {
  return accept
    .split(',')
    .map((part) => {
      const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { type: type.toLowerCase(), parameters, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality);
}

function notAcceptable(accept: string): RestError {
  return new RestError(406, 'PGRST107', `None of these media types are available: ${accept}`);
}
