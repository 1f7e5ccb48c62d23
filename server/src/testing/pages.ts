import { blocksOfPages } from '../../../scripts/commands-of-pages.mjs';

/**
 * A block of commands of docs/operations, which says above it that the caller runs it under this name.
 * @throws where there is no such block.
 */
export function commandsOf(page: string, name: string): string {
  const found = blocksOfPages().filter((block) => block.page === page && block.name === name);
  const [block] = found;
  if (block === undefined || found.length > 1)
    throw new Error(`${found.length} blocks of ${page} are called « ${name} »`);
  return block.text;
}
