import { BlockList, isIP } from 'node:net';

/** IPv4 networks that are no place of the public internet (IANA's registry of special purposes). */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Machines of clouds ask 169.254.169.254 for their secrets.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/** The public internet of IPv6: mapped IPv4, NAT64, private, link-local and loopback addresses are all outside of it. */
const PUBLIC_V6 = ['2000::', 3] as const;
/** Its networks that lead elsewhere: Teredo and protocols, documentation, 6to4. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const refusedV4 = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V4) refusedV4.addSubnet(network, prefix, 'ipv4');
const allowedV6 = new BlockList();
allowedV6.addSubnet(...PUBLIC_V6, 'ipv6');
const refusedV6 = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_V6) refusedV6.addSubnet(network, prefix, 'ipv6');

/** True when an address is one of the public internet, where a webhook may lead. False for a text that is no address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refusedV4.check(address, 'ipv4');
    case 6:
      return allowedV6.check(address, 'ipv6') && !refusedV6.check(address, 'ipv6');
    default:
      return false;
  }
}

/** The address that the host of a URL is written as; null where it is a name. */
function literalAddressOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1');
  return isIP(host) === 0 ? null : host;
}

/**
 * Why an address that a person gave is none to send to, where others reach the installation. A name is judged once more when it
 * is resolved (`post`).
 */
export function addressFault(url: URL): 'not_https' | 'private_address' | null {
  if (url.protocol !== 'https:') return 'not_https';
  const literal = literalAddressOf(url);
  const isPrivate = literal === null ? /^(?:.*\.)?localhost\.?$/u.test(url.hostname) : !isPublicAddress(literal);
  return isPrivate ? 'private_address' : null;
}
