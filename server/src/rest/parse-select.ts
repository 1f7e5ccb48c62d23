import { cursorOn } from './cursor.ts';
import type { Cursor } from './cursor.ts';
import type { EmbedTarget, Field, Join, JsonStep, SelectItem } from './grammar.ts';
import { EMBED_DEPTH_MAX, EMBEDS_MAX, SELECT_ITEMS_MAX } from './limits.ts';
import { RestError, tooMuch } from './rest-error.ts';

/** Reads `select`: columns, casts, JSON paths, embedded and spread relations. Empty means every column. */
export function parseSelect(text: string): SelectItem[] {
  const cursor = cursorOn(text, `select parameter (${text})`);
  cursor.skipSpaces();
  if (cursor.isAtEnd()) return [{ kind: 'all' }];
  const counts = { items: 0, embeds: 0 };
  const items = parseItems(cursor, counts, 0);
  cursor.expectEnd();
  return items;
}

type Counts = { items: number; embeds: number };

function parseItems(cursor: Cursor, counts: Counts, depth: number): SelectItem[] {
  const items: SelectItem[] = [];
  do {
    cursor.skipSpaces();
    counts.items += 1;
    if (counts.items > SELECT_ITEMS_MAX) throw tooMuch(`At most ${SELECT_ITEMS_MAX} items can be selected`);
    items.push(parseItem(cursor, counts, depth));
    cursor.skipSpaces();
  } while (cursor.accept(','));
  return items;
}

function parseItem(cursor: Cursor, counts: Counts, depth: number): SelectItem {
  if (cursor.accept('*')) return { kind: 'all' };
  if (cursor.accept('...')) {
    cursor.skipSpaces();
    const name = cursor.name();
    const embed = parseEmbedAfterName(cursor, name, counts, depth);
    if (embed === null) throw cursor.fail('"("');
    if (embed.items.length === 0) throw cursor.fail('a column');
    return { kind: 'spread', ...embed };
  }
  const first = cursor.name();
  cursor.skipSpaces();
  const hasAlias = cursor.lookingAt(':') && !cursor.lookingAt('::');
  if (hasAlias) {
    cursor.expect(':');
    cursor.skipSpaces();
  }
  const name = hasAlias ? cursor.name() : first;
  const alias = hasAlias ? first : null;
  const embed = parseEmbedAfterName(cursor, name, counts, depth);
  if (embed !== null) return { kind: 'embed', alias, ...embed };
  const field: Field = { name, path: parseJsonPath(cursor) };
  const cast = parseCast(cursor);
  if (cursor.match(/\.(?:sum|avg|count|max|min)\(\)/uy) !== null) throw aggregatesAreOff();
  return { kind: 'column', alias, field, cast };
}

const MODIFIERS_MAX = 2;

/** `!hint!inner(…)` after a relation's name; null where this is a column. */
function parseEmbedAfterName(cursor: Cursor, target: string, counts: Counts, depth: number): EmbedTarget | null {
  let hint: string | null = null;
  let join: Join = 'left';
  let isEmbed = false;
  for (let modifiers = 0; modifiers < MODIFIERS_MAX && cursor.accept('!'); modifiers += 1) {
    isEmbed = true;
    const modifier = cursor.name();
    if (modifier === 'inner' || modifier === 'left') join = modifier;
    else if (hint === null) hint = modifier;
    else throw cursor.fail('"inner" or "left"');
  }
  if (!cursor.accept('(')) {
    if (isEmbed) throw cursor.fail('"("');
    return null;
  }
  counts.embeds += 1;
  if (counts.embeds > EMBEDS_MAX) throw tooMuch(`At most ${EMBEDS_MAX} relations can be embedded`);
  if (depth >= EMBED_DEPTH_MAX) throw tooMuch(`Relations can be embedded at most ${EMBED_DEPTH_MAX} deep`);
  cursor.skipSpaces();
  if (cursor.accept(')')) {
    // The one aggregate without a column is written like an embed that selects nothing.
    if (target === 'count' && !isEmbed) throw aggregatesAreOff();
    return { target, hint, join, items: [] };
  }
  const items = parseItems(cursor, counts, depth + 1);
  cursor.expect(')');
  return { target, hint, join, items };
}

/** `->key->0->>name` after a column. */
export function parseJsonPath(cursor: Cursor): JsonStep[] {
  const path: JsonStep[] = [];
  for (;;) {
    if (!cursor.accept('->')) return path;
    const asText = cursor.accept('>');
    const index = cursor.match(/-?\d{1,9}(?![\p{L}\p{M}\p{N}_$])/uy);
    path.push({ key: index === null ? cursor.name() : Number(index), asText });
  }
}

function parseCast(cursor: Cursor): string | null {
  if (!cursor.accept('::')) return null;
  const type = cursor.match(/[\p{L}\p{N}_$ ]+/uy)?.trim();
  if (type === undefined || type === '') throw cursor.fail('a type');
  return type.toLowerCase();
}

function aggregatesAreOff(): RestError {
  return new RestError(400, 'PGRST123', 'Use of aggregate functions is not allowed');
}
