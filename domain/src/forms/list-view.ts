import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { isLine } from '../name.ts';
import { refuse, requiredText } from './fields.ts';
import { viewNameLengthMax, viewSettingsLengthMax } from './limits.ts';

const name = z.pipe(
  requiredText('Donnez un nom à cette vue', viewNameLengthMax),
  z.transform((text: string, context) => (isLine(text) ? text : refuse(context, messages.textInvalid))),
);

/** The name that a person gives to a list as it stands (NV-05). */
export const listViewNameForm = z.object({ name });

/** Said of a name that another view of the list has. */
export const viewNameTaken = 'Une vue porte déjà ce nom\u00a0: elle sera remplacée.';

/** A list's filters, sort and columns, under a name (NV-05). */
export const listViewForm = z.object({
  list: z
    .string(messages.inputInvalid)
    .check(z.refine((text) => /^[a-z][a-z-]{0,39}$/u.test(text), messages.inputInvalid)),
  name,
  settings: z.string(messages.inputInvalid).check(
    z.refine((text) => /^[\x20-\x7e]*$/u.test(text), messages.inputInvalid),
    z.maxLength(viewSettingsLengthMax, messages.inputInvalid),
  ),
});
