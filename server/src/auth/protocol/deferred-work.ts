import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import type { Services } from '#platform/services';

import type { Scope } from './operation.ts';
import { authSettings } from './settings.ts';
import type { AuthSettings } from './settings.ts';

const asker = z.object({ ip: z.string() });

/**
 * Work that a request asks for and does not wait for: the answer comes as fast whatever there is to do. What it is about is
 * sealed while it waits, and done as the request would have done it, from the address that asked.
 */
export type LaterWork<Request> = {
  readonly ask: (scope: Scope, request: Request) => Promise<void>;
  /** Names the job that does it. Before the jobs start. */
  readonly define: (services: Services, overrides: Partial<AuthSettings>) => void;
};

export function laterWork<Schema extends z.ZodObject>(
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
): LaterWork<z.input<Schema>> {
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
