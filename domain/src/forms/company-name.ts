import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { companyName } from './fields.ts';

/** The company's name, saved only where non-blank after trimming (V-07, F-05). */
export const companyNameForm = z.pipe(
  z.object({ company_name: companyName(messages.companyNameRequired) }),
  z.transform((form) => ({ companyName: form.company_name })),
);
export type CompanyName = z.output<typeof companyNameForm>;
