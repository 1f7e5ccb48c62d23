import type { Operation } from './operation.ts';

/** GET /health. */
export const health: Operation = {
  method: 'GET',
  url: '/health',
  access: 'browser',
  handle: async () => ({ body: { version: '1.0.0', name: 'Parrain', description: 'Authentication service' } }),
};
