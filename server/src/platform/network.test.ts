import { expect, test } from 'vitest';

import { neighbourhoodOf, networkOf } from './network.ts';

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:FFFF:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['[2001:db8:1:2::6]:4711', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
  ['', ''],
])('[FX-17] %s is counted as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

test('[FX-17] addresses side by side are a neighbourhood', () => {
  expect(neighbourhoodOf('192.0.2.7')).toBe('192.0.2.0/24');
  expect(neighbourhoodOf('2001:db8:1:2::7')).toBe(neighbourhoodOf('2001:db8:1:ffff::1'));
  expect(neighbourhoodOf('2001:db8:1::1')).not.toBe(neighbourhoodOf('2001:db8:2::1'));
});
