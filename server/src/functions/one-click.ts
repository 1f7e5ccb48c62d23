import type { Services } from '#platform/services';

import { forgetFriend, friendOptOutPage, scopeOfLink } from './friend-link.ts';
import { noticeRefusalPage, refusedBy, refuseNoticeMails } from './notices/refusal-link.ts';

/** Opt-out that a mailed token opens: the page with its button, and the refusal itself. Null of a token that is not ours. */
export function refusalOf(
  services: Services,
  token: string,
): { readonly page: string; readonly sayNo: () => Promise<unknown> } | null {
  const friend = scopeOfLink(services, token);
  if (friend !== null) return { page: friendOptOutPage(services), sayNo: () => forgetFriend(services, friend) };
  const refused = refusedBy(services, token);
  if (refused !== null) return { page: noticeRefusalPage(services), sayNo: () => refuseNoticeMails(services, refused) };
  return null;
}
