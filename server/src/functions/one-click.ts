import type { Services } from '#platform/services';

import { forgetFriend, friendOptOutPage, saleOfLink } from './friend-link.ts';
import { noticeRefusalPage, refusedBy, refuseNoticeMails } from './notices/refusal-link.ts';

/** What a mailed token refuses: the page where a button says no, and saying it. Null of a token that is not ours. */
export function refusalOf(
  services: Services,
  token: string,
): { readonly page: string; readonly sayNo: () => Promise<unknown> } | null {
  const saleId = saleOfLink(services, token);
  if (saleId !== null) return { page: friendOptOutPage(services), sayNo: () => forgetFriend(services, saleId) };
  const refused = refusedBy(services, token);
  if (refused !== null) return { page: noticeRefusalPage(services), sayNo: () => refuseNoticeMails(services, refused) };
  return null;
}
