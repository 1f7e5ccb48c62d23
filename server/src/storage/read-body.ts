import type { z } from 'zod';

import { StorageRefusal } from './refusal.ts';

/** The body, parsed by its schema. @throws StorageRefusal */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {});
  if (!parsed.success) throw new StorageRefusal('InvalidRequest');
  return parsed.data;
}
