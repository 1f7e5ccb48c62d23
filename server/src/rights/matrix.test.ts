import { afterAll, beforeAll, expect, test } from 'vitest';

import { startTestServer } from '../testing/index.ts';
import type { TestServer } from '../testing/index.ts';
import { fingerprint, readFunctions, readRelations } from '../testing/rights/catalogue.ts';
import type { CatalogueFunction, CatalogueRelation } from '../testing/rights/catalogue.ts';
import { createProbes, VERBS } from '../testing/rights/probes.ts';
import type { Probes } from '../testing/rights/probes.ts';
import { byIdentity, grouped, readVerdicts, writeVerdicts } from '../testing/rights/verdicts.ts';
import type { Cells, Verdicts } from '../testing/rights/verdicts.ts';
import { aWorld, IDENTITIES } from '../testing/rights/world.ts';
import type { IdentityName, World } from '../testing/rights/world.ts';

// The rights matrix (P-04, R3): every relation, column and function of schema public, by every identity and verb, against
// verdicts.json. `npm run rights -w server` adds the cells that are missing, marked « ? » until somebody has judged them.

/** Those who are refused before any table is named need not be asked of every column. */
const ASKED_OF_COLUMNS = [
  'anon',
  'client A',
  'commercial A',
  'admin',
  'accountant',
  'secret key',
  'company key',
] as const;

let server: TestServer;
let world: World;
let relations: readonly CatalogueRelation[];
let functions: readonly CatalogueFunction[];
let probes: Probes;
let verdicts: Verdicts;
beforeAll(async () => {
  server = await startTestServer({ doors: ['rest', 'realtime'], jobs: false });
  world = await aWorld(server);
  relations = await readRelations(server.database);
  functions = await readFunctions(server.database);
  verdicts = readVerdicts();
  if (process.env['RIGHTS'] === 'ask') {
    verdicts = withEveryCell(verdicts);
    writeVerdicts(verdicts);
  }
  probes = await createProbes(world, relations);
});
afterAll(() => server.close());

test('[P-04] each relation, column, function, verb and identity has its verdict, and there is none too many', () => {
  const complete = withEveryCell(verdicts);
  expect(verdicts).toEqual(complete);
  const unjudged = JSON.stringify(complete).match(/"\?"/gu) ?? [];
  expect(unjudged).toEqual([]);
});

for (const verb of VERBS.filter((any) => any !== 'realtime'))
  test(
    `[P-01, P-02, P-03, P-04] ${verb}: to each their verdict`,
    { tags: verb === 'embed' ? 'long' : [] },
    async () => {
      const before = await fingerprint(server.database, relations);
      const seen = await atOnce(relations, async (relation) => {
        const cells = new Map<string, string>();
        for (const who of IDENTITIES) cells.set(who, await probes.verb(verb, relation, who));
        return [relation.name, grouped(cells)] as const;
      });
      expect(Object.fromEntries(seen)).toEqual(
        Object.fromEntries(relations.map(({ name }) => [name, ordered(verdicts.relations[name]?.[verb])])),
      );
      expect(await fingerprint(server.database, relations)).toEqual(before);
    },
  );

test('[P-04] [RT-01] realtime: each is told of the changes that they may read, once', async () => {
  const told = await probes.realtime();
  expect(Object.fromEntries([...told].map(([name, cells]) => [name, grouped(inOrder(cells))]))).toEqual(
    Object.fromEntries(relations.map(({ name }) => [name, ordered(verdicts.relations[name]?.['realtime'])])),
  );
});

test('[P-04] [P-06] each column is read, filtered by and written as its verdict says', { tags: 'long' }, async () => {
  const before = await fingerprint(server.database, relations);
  const cells = relations.flatMap((relation) => relation.columns.map((column) => ({ relation, column })));
  const seen = await atOnce(cells, async ({ relation, column }) => {
    const read = new Map<string, string>();
    const write = new Map<string, string>();
    for (const who of ASKED_OF_COLUMNS) {
      read.set(who, await probes.column('read', relation, column, who));
      write.set(who, await probes.column('write', relation, column, who));
    }
    return [`${relation.name}.${column}`, { read: grouped(read), write: grouped(write) }] as const;
  });
  const expected = cells.map(({ relation, column }) => {
    const pattern = verdicts.patterns[verdicts.columns[relation.name]?.[column] ?? '?'];
    return [`${relation.name}.${column}`, { read: ordered(pattern?.read), write: ordered(pattern?.write) }];
  });
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(expected));
  expect(await fingerprint(server.database, relations)).toEqual(before);
});

test('[P-04] [P-07] each function answers each as its verdict says, for themselves and for another', async () => {
  const seen = await atOnce(functions.flatMap(callsOf), async ({ title, fn, values }) => {
    const cells = new Map<string, string>();
    for (const who of IDENTITIES) cells.set(who, await probes.call(fn, values(), who));
    return [title, grouped(cells)] as const;
  });
  expect(Object.fromEntries(seen)).toEqual(
    Object.fromEntries(Object.entries(verdicts.functions).map(([title, cells]) => [title, ordered(cells)])),
  );
});

type Call = {
  readonly title: string;
  readonly fn: CatalogueFunction;
  readonly values: () => Readonly<Record<string, unknown>>;
};

/** A function of people is called for each of them; another once. */
function callsOf(fn: CatalogueFunction): Call[] {
  const isOfPeople = fn.arguments.some(({ type }) => type === 'uuid');
  const targets = isOfPeople ? (['commercial A', 'client A', 'commercial B', 'client B'] as const) : ([null] as const);
  return targets.map((target) => ({
    title: `${fn.name}(${target ?? ''})`,
    fn,
    values: () =>
      Object.fromEntries(
        fn.arguments.map(({ name, type }) => [
          name,
          type === 'uuid' && target !== null ? world.people[target].id : null,
        ]),
      ),
  }));
}

/** The verdicts with a cell, marked « ? », for all that has none, and without those of what is no more. */
function withEveryCell(known: Verdicts): Verdicts {
  const full = (cells: Cells | undefined, identities: readonly string[]): Cells => {
    const judged = byIdentity(cells ?? {});
    return grouped(new Map(identities.map((identity) => [identity, judged.get(identity) ?? '?'])));
  };
  const each = <T>(names: readonly string[], make: (name: string) => T): Record<string, T> =>
    Object.fromEntries(names.map((name) => [name, make(name)]));
  const names = relations.map(({ name }) => name);
  return {
    relations: each(names, (name) => each(VERBS, (verb) => full(known.relations[name]?.[verb], IDENTITIES))),
    columns: each(names, (name) =>
      each(
        relations.find((relation) => relation.name === name)?.columns ?? [],
        (column) => known.columns[name]?.[column] ?? '?',
      ),
    ),
    patterns: each(Object.keys(known.patterns), (name) => ({
      read: full(known.patterns[name]?.read, ASKED_OF_COLUMNS),
      write: full(known.patterns[name]?.write, ASKED_OF_COLUMNS),
    })),
    functions: each(
      functions.flatMap(callsOf).map(({ title }) => title),
      (title) => full(known.functions[title], IDENTITIES),
    ),
  };
}

function ordered(cells: Cells | undefined): Cells {
  return grouped(inOrder(byIdentity(cells ?? {}) as ReadonlyMap<IdentityName, string>));
}

function inOrder(cells: ReadonlyMap<IdentityName, string>): ReadonlyMap<string, string> {
  return new Map(IDENTITIES.flatMap((who) => (cells.has(who) ? [[who, cells.get(who) ?? '']] : [])));
}

/** Asks twelve questions at once, and keeps the order of the answers. */
async function atOnce<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()];
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        results[next[0]] = await work(next[1]);
    }),
  );
  return results;
}
