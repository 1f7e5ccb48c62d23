import { ApiError } from '#api/transport/api-error';

/** The next step, after the reason, where an invited address has an account already; nothing after another refusal. */
export function takenAdvice(error: unknown, advice: string): string {
  return error instanceof ApiError && error.code === 'email_taken' ? ` ${advice}` : '';
}

export const adminTakenAdvice =
  'Si c’est un client ou un commercial, ouvrez sa fiche pour lui donner un nouveau mot de passe.';
export const commercialTakenAdvice =
  'Si c’est l’un de vos clients et qu’il ne s’est jamais connecté, ouvrez sa fiche pour lui donner un nouveau mot de passe.';
