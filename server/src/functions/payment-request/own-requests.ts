import { Failure } from '@parrain/domain/failure';

import type { UserCall } from '../call.ts';

/** A request as SQL gives it. */
export type RequestRow = {
  readonly id: string;
  readonly payment_details: Readonly<Record<string, string | null>>;
};

/** P-07: a payload may name its client, who must be the caller; else the request is refused. */
export function checkNamedClient(call: UserCall): void {
  for (const named of [call.body?.['client_id'], call.body?.['clientId']]) {
    if (named !== undefined && named !== null && named !== call.userId) throw new Failure('forbidden');
  }
}
