import { createHmac } from 'node:crypto';
import { z } from 'zod';

import type { Services } from '#platform/services';

const PURPOSE = 'friend-opt-out';

/** The page where a referred friend says no, without an account (F-15). What opens it stays out of every server's log. */
export function friendOptOutUrl(
  { secrets, publicUrl }: Pick<Services, 'secrets' | 'publicUrl'>,
  saleId: string,
): string {
  return `${publicUrl()}/ne-plus-me-contacter#${secrets.seal(PURPOSE, saleId).toString('base64url')}`;
}

/** The referral that a link is about; null where it is not one of ours. */
export function saleOfLink({ secrets }: Pick<Services, 'secrets'>, token: string): string | null {
  try {
    return z.uuid().parse(secrets.open(PURPOSE, Buffer.from(token, 'base64url')).toString());
  } catch {
    return null;
  }
}

/** Recognises an address that said no, without being it. */
export function markOf({ secrets }: Pick<Services, 'secrets'>, email: string): Buffer {
  return createHmac('sha256', secrets.derive('opted-out-mark')).update(email.trim().toLowerCase()).digest();
}
