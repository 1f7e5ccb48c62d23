import * as z from 'zod/mini';
import * as messages from '../messages.ts';
import { optionalPhone, personName } from './fields.ts';

/** One's own name and phone, the only columns a person writes (CO-11, CL-09). */
export const profileForm = z.object({ full_name: personName(messages.nameRequired), phone: optionalPhone() });
export type ProfileInput = z.output<typeof profileForm>;
