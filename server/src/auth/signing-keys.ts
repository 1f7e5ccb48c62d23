import type { Operation } from './operation.ts';

/** GET /.well-known/jwks.json (AU-18): the public keys, which the client keeps for ten minutes. */
export const signingKeys: Operation = {
  method: 'GET',
  url: '/.well-known/jwks.json',
  access: 'browser',
  handle: async ({ services }) => ({
    body: services.tokens.jwks(),
    headers: { 'cache-control': 'public, max-age=600' },
  }),
};
