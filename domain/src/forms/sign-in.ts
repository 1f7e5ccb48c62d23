import * as z from 'zod/mini';
import { currentPassword, email } from './fields.ts';

/** The login page and the payload of auth-signin (A-01, F-01). */
export const signInForm = z.object({ email: email(), password: currentPassword() });
export type SignIn = z.output<typeof signInForm>;
