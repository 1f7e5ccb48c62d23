import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { separators, textEncodings, type TableChoice } from '../table-file.ts';
import { choice } from './fields.ts';

const SHEET_NAME_LENGTH_MAX = 255;

/** Reading options that a person sets in place of those that were detected, as the fields of a multipart body (DF-31). */
export const tableChoiceForm = z.pipe(
  z.object({
    sheet: z.optional(z.string(messages.inputInvalid).check(z.maxLength(SHEET_NAME_LENGTH_MAX, messages.inputInvalid))),
    header: z.optional(z.string(messages.inputInvalid).check(z.regex(/^\d{1,7}$/u, messages.inputInvalid))),
    separator: z.optional(choice(separators, messages.inputInvalid)),
    encoding: z.optional(choice(textEncodings, messages.inputInvalid)),
  }),
  z.transform(
    ({ header, sheet, separator, encoding }): { readonly header: number | null; readonly choice: TableChoice } => ({
      header: header === undefined ? null : Number.parseInt(header, 10),
      choice: {
        ...(sheet === undefined ? {} : { sheet }),
        ...(separator === undefined ? {} : { separator }),
        ...(encoding === undefined ? {} : { encoding }),
      },
    }),
  ),
);
