import * as z from 'zod/mini';

const incomplete = 'Ce lien n’est pas complet : ouvrez-le depuis l’e-mail reçu.';

/** F-15: what the link of a friend's mail holds; nothing else is asked of them. */
export const friendOptOutForm = z.object({
  token: z.string({ error: incomplete }).check(z.minLength(1, incomplete), z.maxLength(400, incomplete)),
});
