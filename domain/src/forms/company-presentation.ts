import * as z from 'zod/mini';
import { optionalText } from './fields.ts';

/** Here and not among the limits, which the public page's own script carries. */
export const presentationLengthMax = 500;

/** What the company says of itself to a friend who follows a personal link (CS-01); null says nothing. */
export const companyPresentationForm = z.object({ presentation: optionalText(presentationLengthMax) });
