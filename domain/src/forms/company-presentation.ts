import * as z from 'zod/mini';
import { optionalText } from './fields.ts';
import { presentationLengthMax } from './limits.ts';

/** What the company says of itself to a friend who follows a personal link (CS-01); null says nothing. */
export const companyPresentationForm = z.object({ presentation: optionalText(presentationLengthMax) });
