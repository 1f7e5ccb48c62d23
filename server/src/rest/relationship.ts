import { RestError } from './rest-error.ts';
import type { Relation, Relationship, SchemaCache } from './schema-cache.ts';

/**
 * Finds the one relationship that an embed names, from its parent, its target and its hint (contract §2.5).
 * @throws RestError PGRST200 where there is none, PGRST201 where there are several.
 */
export function resolveRelationship(
  cache: SchemaCache,
  from: Relation,
  target: string,
  hint: string | null,
): Relationship {
  const all = cache.relationships.get(from.name) ?? [];
  const computed = all.find((candidate) => candidate.isComputed && candidate.constraint === target);
  if (computed !== undefined) return computed;
  const candidates = all.filter((candidate) => {
    if (candidate.isComputed) return false;
    return candidate.to === from ? isMeantOfItself(candidate, target, hint) : isMeant(candidate, target, hint);
  });
  const [first, ...others] = candidates;
  if (first === undefined) throw noRelationship(from, target, hint);
  if (others.length > 0) throw ambiguousRelationship(from, target, candidates);
  return first;
}

function isMeant(candidate: Relationship, target: string, hint: string | null): boolean {
  if (candidate.junction !== null) return isMeantThroughJunction(candidate, target, hint);
  const single = singleOf(candidate);
  if (hint === null) {
    if (target === candidate.to.name) return true;
    // A constraint or a column names the table that it leads to, never a view that shows the same column.
    return candidate.to.kind === 'table' && (target === candidate.constraint || target === single?.from);
  }
  return (
    target === candidate.to.name && (hint === candidate.constraint || hint === single?.from || hint === single?.to)
  );
}

/** Of a relation to itself the table's name means the many, the column's name the one. */
function isMeantOfItself(candidate: Relationship, target: string, hint: string | null): boolean {
  if (candidate.junction !== null) return isMeantThroughJunction(candidate, target, hint);
  const single = singleOf(candidate);
  if (candidate.isForward) return hint === null && candidate.to.kind === 'table' && target === single?.from;
  if (target !== candidate.to.name) return false;
  return hint === null || hint === single?.to;
}

function isMeantThroughJunction({ to, junction }: Relationship, target: string, hint: string | null): boolean {
  return target === to.name && (hint === null || hint === junction?.relation.name);
}

function singleOf({ columns }: Relationship): { readonly from: string; readonly to: string } | undefined {
  const [pair, ...more] = columns;
  return more.length === 0 ? pair : undefined;
}

function noRelationship(from: Relation, target: string, hint: string | null): RestError {
  const using = hint === null ? '' : ` using the hint '${hint}'`;
  return new RestError(
    400,
    'PGRST200',
    `Could not find a relationship between '${from.name}' and '${target}' in the schema cache`,
    {
      details: `Searched for a foreign key relationship between '${from.name}' and '${target}'${using} in the schema 'public', but no matches were found.`,
    },
  );
}

function ambiguousRelationship(from: Relation, target: string, candidates: readonly Relationship[]): RestError {
  const choices = candidates.map(
    ({ to, junction, constraint }) => `'${to.name}!${junction === null ? constraint : junction.relation.name}'`,
  );
  return new RestError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${from.name}' and '${target}'`,
    {
      details: candidates.map((candidate) => ({
        cardinality: cardinalityOf(candidate),
        embedding: `${candidate.from.name} with ${candidate.to.name}`,
        relationship: pathOf(candidate),
      })),
      hint: `Try changing '${target}' to one of the following: ${choices.join(', ')}. Find the desired relationship in the 'details' key.`,
    },
  );
}

function cardinalityOf({ isToOne, isForward, junction }: Relationship): string {
  if (junction !== null) return 'many-to-many';
  if (!isToOne) return 'one-to-many';
  return isForward ? 'many-to-one' : 'one-to-one';
}

function pathOf({ constraint, from, to, columns, junction }: Relationship): string {
  const list = (names: readonly string[]): string => `(${names.join(', ')})`;
  const [ours, theirs] = [columns.map((pair) => pair.from), columns.map((pair) => pair.to)];
  if (junction === null) return `${constraint} using ${from.name}${list(ours)} and ${to.name}${list(theirs)}`;
  const onward = list(junction.columns.map((pair) => pair.from));
  return `${junction.relation.name} using ${constraint}${list(theirs)} and ${junction.constraint}${onward}`;
}
