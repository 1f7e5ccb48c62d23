import { Failure } from '@parrain/domain/failure';

import { answer } from '../call.ts';
import type { FunctionResponse, Call, ProductFunction } from '../call.ts';
import { mailedToken } from '../mailed-token.ts';
import { ibanOfLink } from '../payment-request/changed-iban.ts';

/** PO-04: the owner of a changed account confirms it, with the link of the mail and no session. */
export default { '': { callers: 'everyone', run: confirmIban } } satisfies ProductFunction;

const outcomes = {
  confirmed: 'C’est confirmé : cet IBAN peut servir dès maintenant.',
  already: 'Cet IBAN était déjà confirmé : vous n’avez rien d’autre à faire.',
  usable: 'Cet IBAN peut déjà servir : il n’y a plus rien à confirmer.',
} as const;

async function confirmIban(call: Call): Promise<FunctionResponse> {
  const id = ibanOfLink(call.services, await mailedToken(call, 'iban-confirmation'));
  if (id === null) throw new Failure('iban_link_unknown');
  const outcome = await call.services.db.asService('a changed IBAN is confirmed', async (tx) => {
    const { rows } = await tx.query<{ outcome: keyof typeof outcomes }>('select private.confirm_iban($1) as outcome', [
      id,
    ]);
    return rows[0]?.outcome ?? 'usable';
  });
  return answer({ success: true, message: outcomes[outcome] });
}
