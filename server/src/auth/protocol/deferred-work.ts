import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import type { Services } from '#platform/services';

import type { Scope } from './operation.ts';
import { authSettings } from './settings.ts';
import type { AuthSettings } from './settings.ts';

const asker = z.object({ ip: z.string() });

/**
 * A job that a request starts without waiting for it, so that the answer takes the same time whatever the job finds. Its
 * request is sealed in the queue, and runs from the address that asked.
 */
export type DeferredWork<Request> = {
  readonly ask: (scope: Scope, request: Request) => Promise<void>;
  /** Defines the job. Before the jobs start. */
  readonly define: (services: Services, overrides: Partial<AuthSettings>) => void;
};

export function deferredWork<Schema extends z.ZodObject>(
  {
    task,
    purpose,
    reason,
    maxAttempts,
  }: {
    readonly task: string;
    readonly purpose: string;
    readonly reason: string;
    readonly maxAttempts: number;
  },
  schema: Schema,
  work: (scope: Scope, request: z.output<Schema>) => Promise<void>,
): DeferredWork<z.input<Schema>> {
  return {
    async ask({ services, db, origin }, request) {
      const id = randomUUID();
      const sealed = services.secrets
        .seal(purpose, JSON.stringify({ ...request, ip: origin.ip }), id)
        .toString('base64');
      await db.asService(reason, (tx) => services.jobs.enqueue(tx, task, { id, sealed }, { maxAttempts }));
    },
    define(services, overrides) {
      services.jobs.define(task, async (payload) => {
        const { id, sealed } = z.object({ id: z.uuid(), sealed: z.string() }).parse(payload);
        const opened: unknown = JSON.parse(
          services.secrets.open(purpose, Buffer.from(sealed, 'base64'), id).toString(),
        );
        const { ip } = asker.parse(opened);
        const scope: Scope = {
          services,
          db: services.db.withRequest({ requestId: id }),
          settings: authSettings(services, overrides),
          origin: { ip, userAgent: null },
        };
        await work(scope, schema.parse(opened));
      });
    },
  };
}
