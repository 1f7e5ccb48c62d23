import { isIPv4, isIPv6 } from 'node:net';

/**
 * The unit of a caller at every door (FX-17): an IPv4 address, or the /64 of an IPv6 household, in any notation. A text that
 * is no address counts as it is.
 */
export function networkOf(ip: string): string {
  const [address = ''] = ip.replace(/^\[(.*)\](?::\d+)?$/u, '$1').split('%');
  if (isIPv4(address)) return address;
  if (!isIPv6(address)) return ip.slice(0, 64);
  const groups = groupsOf(address);
  // ::ffff:192.0.2.1 is 192.0.2.1.
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 0xff]).join('.');
  }
  return `${hexadecimal(groups.slice(0, 4))}::/64`;
}

/** The /24 or /48 of a network, which a tenant of many addresses is likely to share with nobody else. */
export function neighbourhoodOf(ip: string): string {
  const network = networkOf(ip);
  return network.endsWith('::/64')
    ? `${network.slice(0, -'::/64'.length).split(':').slice(0, 3).join(':')}::/48`
    : network.replace(/\d+$/u, '0/24');
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/u.exec(address);
  const text =
    dotted === null
      ? address
      : `${dotted[1]}${hexadecimal([Number(dotted[2]) * 256 + Number(dotted[3]), Number(dotted[4]) * 256 + Number(dotted[5])])}`;
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...middle, ...right].map((group) => Number.parseInt(group, 16));
}

function hexadecimal(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}
