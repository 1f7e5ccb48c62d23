import { parsePayload } from '@parrain/domain/forms/parse-payload';
import { registrationPayload } from '@parrain/domain/forms/registration';
import { accountCreated } from '@parrain/domain/messages';

import { signUpClient } from '#auth';

import { answer } from '../call.ts';
import type { FunctionResponse, Call, ProductFunction } from '../call.ts';

/** F-02, A-06: a visitor becomes a client; whatever role the payload names is not even read. */
export default { '': { callers: 'everyone', run: signUp } } satisfies ProductFunction;

async function signUp(call: Call): Promise<FunctionResponse> {
  const registration = parsePayload(registrationPayload, call.body ?? {});
  const { isConfirmed } = await signUpClient(call.services, { ...registration, request: call.request });
  return answer({ success: true, message: isConfirmed ? accountCreated : CONFIRMATION_DUE });
}

const CONFIRMATION_DUE =
  'Compte créé avec succès ! Confirmez votre adresse avec le lien que nous venons de vous envoyer, puis connectez-vous.';
