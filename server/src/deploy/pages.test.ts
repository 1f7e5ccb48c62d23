import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';

import { checkCommandsOfPages } from '../../../scripts/commands-of-pages.mjs';
import { temporaryFolder } from '../testing/deployment.ts';

const { folder, remove } = temporaryFolder('pages');
afterAll(remove);

test('[OP-01] every block of commands of the operator’s pages says what runs it', () => {
  expect(checkCommandsOfPages()).toEqual({ code: 0, output: '' });
});

test.each([
  ['nothing above it', '```sh\nls\n```', 'nothing says what runs this block'],
  ['a file that is not there', '<!-- run by: no/such.test.ts -->\n```sh\nls\n```', 'no/such.test.ts does not exist'],
  [
    'a name that its test does not know',
    '<!-- run by: server/src/app.test.ts « other » -->\n```sh\nls\n```',
    "does not ask for commandsOf('page.md', 'other')",
  ],
  ['a command of npm that does not exist', 'Run `npm run nosuchthing`.', 'there is no « npm run nosuchthing »'],
])('[OP-01] a block with %s is found', (_, page, problem) => {
  writeFileSync(path.join(folder, 'page.md'), `# Page\n\n${page}\n`);
  const { code, output } = checkCommandsOfPages(folder);
  expect([code, output]).toEqual([1, expect.stringContaining(problem)]);
});
