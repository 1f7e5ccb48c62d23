import * as z from 'zod/mini';

const incomplete = 'Ce lien n’est pas complet : ouvrez-le depuis l’e-mail reçu.';

/** The token in the link of a friend's mail, the only thing asked of them (F-15). */
export const friendOptOutForm = z.object({
  token: z.string({ error: incomplete }).check(z.minLength(1, incomplete), z.maxLength(400, incomplete)),
});
