import { expect, test } from 'vitest';

import { nearName } from './near-name.ts';

test.each([
  ['sale', ['sales', 'profiles', 'commission_rates'], 'sales'],
  ['profils', ['sales', 'profiles', 'commission_rates'], 'profiles'],
  ['commision_rate', ['sales', 'profiles', 'commission_rates', 'commission_payments'], 'commission_rates'],
  // As the official client's own suite has them.
  ['blurb_message', ['get_messages', 'get_status', 'set_users_offline'], 'get_messages'],
  ['unnamed_integer', ['unnamed_json', 'unnamed_jsonb', 'unnamed_text'], 'unnamed_text'],
  ['(a, c)', ['(a, b)', '(a)'], '(a, b)'],
  ['xyz', ['sales', 'profiles'], null],
  ['', ['sales'], null],
  ['sales', [], null],
])('[DF-51] the name near « %s » among %j is %s', (asked, names, near) => {
  expect(nearName(asked, names)).toBe(near);
});
