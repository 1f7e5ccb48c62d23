import { PUBLISHED_SECONDS } from '#platform/signing-keys';

import type { Operation } from '../protocol/operation.ts';

/** GET /.well-known/jwks.json (AU-18): the public keys, the next one's among them; the client keeps them for ten minutes. */
export const signingKeys: Operation = {
  method: 'GET',
  url: '/.well-known/jwks.json',
  access: 'browser',
  handle: async ({ services }) => ({
    body: await services.tokens.jwks(),
    headers: { 'cache-control': `public, max-age=${PUBLISHED_SECONDS}` },
  }),
};
