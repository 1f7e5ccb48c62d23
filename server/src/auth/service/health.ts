import type { Operation } from '../protocol/operation.ts';

/** GET /health. */
export const health: Operation = {
  method: 'GET',
  url: '/health',
  access: 'browser',
  handle: async () => ({ body: { version: '1.0.0', name: 'Parrain', description: 'Authentication service' } }),
};
