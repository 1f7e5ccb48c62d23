import type { OperationReply } from '../protocol/operation.ts';

/** A refusal in the words of OAuth, for the grants by a provider's token or a wallet's signature. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal';
  readonly error: 'invalid_grant' | 'invalid_request';

  constructor(error: 'invalid_grant' | 'invalid_request', description: string) {
    super(description);
    this.error = error;
  }
}

/** The answer of a grant, or its refusal. */
export async function orOAuthRefusal(work: () => Promise<OperationReply>): Promise<OperationReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    return { status: 400, body: { error: error.error, error_description: error.message } };
  }
}
