/** The refusals of the storage protocol: HTTP status, its `error` word, its sentence. */
const kinds = {
  NotFound: { status: 404, error: 'not_found', message: 'Not found' },
  NoSuchKey: { status: 404, error: 'not_found', message: 'Object not found' },
  NoSuchBucket: { status: 404, error: 'Bucket not found', message: 'Bucket not found' },
  KeyAlreadyExists: { status: 409, error: 'Duplicate', message: 'The resource already exists' },
  EntityTooLarge: { status: 413, error: 'Payload too large', message: 'The object exceeded the maximum allowed size' },
  InvalidMimeType: { status: 415, error: 'invalid_mime_type', message: 'mime type is not supported' },
  InvalidRange: {
    status: 416,
    error: 'InvalidRange',
    message: 'The requested range is not satisfiable',
  },
  InvalidSignature: { status: 400, error: 'InvalidSignature', message: 'The signature of this address is not valid' },
  ExpiredToken: { status: 400, error: 'ExpiredToken', message: 'This address has expired' },
  InvalidKey: { status: 400, error: 'InvalidKey', message: 'Invalid key' },
  FeatureNotEnabled: { status: 400, error: 'FeatureNotEnabled', message: 'This server does not do that' },
  InvalidRequest: { status: 400, error: 'InvalidRequest', message: 'Invalid request' },
  AccessDenied: { status: 403, error: 'Unauthorized', message: 'new row violates row-level security policy' },
  NoKey: { status: 401, error: 'Unauthorized', message: 'Invalid API key' },
  InvalidJWT: { status: 401, error: 'Unauthorized', message: 'jwt expired' },
} as const;

export type StorageRefusalCode = keyof typeof kinds;

/** An expected refusal of the storage door. */
export class StorageRefusal extends Error {
  override readonly name = 'StorageRefusal';
  readonly code: StorageRefusalCode;
  readonly status: number;

  constructor(code: StorageRefusalCode, message: string = kinds[code].message) {
    super(message);
    this.code = code;
    this.status = kinds[code].status;
  }
}

/** The body that the official client reads; with the status twice, as the official server sends it. */
export function storageError(refusal: StorageRefusal) {
  return {
    statusCode: String(refusal.status),
    error: kinds[refusal.code].error,
    message: refusal.message,
    code: refusal.code,
  };
}
