import * as z from 'zod/mini';
import { email } from './fields.ts';

/** The address to which a link to choose a new password is sent. */
export const forgotPasswordForm = z.object({ email: email() });
export type ForgotPassword = z.output<typeof forgotPasswordForm>;
