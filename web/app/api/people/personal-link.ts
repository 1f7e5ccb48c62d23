import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';

/** CS-01: the address by which friends of this client come in; made when it is first asked for. */
export function personalLinkQuery(profileId: string) {
  return queryOptions({ queryKey: ['personal-link', profileId], queryFn: () => ask('get') });
}

/** Another address in place of the former one, which leads nowhere from now on. */
export function renewPersonalLink(): Promise<string> {
  return ask('renew');
}

async function ask(action: 'get' | 'renew'): Promise<string> {
  const { data } = await callFunction<{ data: { url: string } }>('personal-link', { query: { action } });
  return data.url;
}
