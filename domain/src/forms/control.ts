import * as z from 'zod/mini';
import { id } from './fields.ts';

/** A waiting change of a control, which an admin confirms or gives up (DF-24). */
export const controlForm = z.pipe(
  z.object({ change_id: id('Indiquez « change_id » : le changement en attente.') }),
  z.transform((form) => ({ changeId: form.change_id })),
);
