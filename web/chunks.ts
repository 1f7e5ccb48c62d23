import path from 'node:path';
import type { Rolldown } from 'vite';

type Module = Pick<Rolldown.ModuleInfo, 'exports' | 'isEntry' | 'importers' | 'dynamicImporters'> & {
  /** Names that its imports list. */
  readonly imported: ReadonlySet<string>;
  /** Of a barrel: the names that it gives a file's default export. */
  readonly defaults: ReadonlyMap<string, readonly string[]>;
};
type Graph = { readonly getModuleInfo: (id: string) => Module | null };

/**
 * The first loads of the programme's three roles, each by the entries that it consists of. Any other entry is a screen or a dialog that is
 * opened later, and the accountant's dashboard, which weighs on none of them (UI-12).
 */
const LOADS: readonly (readonly [name: string, entries: RegExp])[] = [
  ['document', /\/landing\/document\.ts$/u],
  ['page', /\/(?:entry\.client|root)\.tsx/u],
  ['account', /\/account\/account-layout\.tsx/u],
  ['login', /\/account\/login\.tsx/u],
  ['register', /\/account\/register\.tsx/u],
  ['forgot-password', /\/account\/forgot-password\.tsx/u],
  // The rules that these pages check with, once they are shown: no dashboard's code comes along.
  ['rules', /\/domain\/src\/forms\/(?:sign-in|registration|forgot-password)\.ts/u],
  ['shell', /\/(?:shell\/dashboard-layout\.tsx|transport\/official-client\.ts)/u],
  ['admin', /\/admin\/(?:dashboard|vue-d-ensemble\/vue-d-ensemble)\.tsx/u],
  ['commercial', /\/commercial\/(?:dashboard|parrainages-recus\/parrainages-recus)\.tsx/u],
  ['client', /\/client\/(?:dashboard|mes-parrainages\/mes-parrainages)\.tsx/u],
];
/** A page of the right has always loaded what stands on the left. */
const CONTAINED: Readonly<Record<string, readonly string[]>> = {
  page: ['account', 'login', 'register', 'forgot-password', 'shell', 'admin', 'commercial', 'client'],
  account: ['login', 'register', 'forgot-password'],
  shell: ['admin', 'commercial', 'client'],
};
/** Modules that a dashboard asks for once its first screen is shown. */
const IDLE =
  /\/(?:shell\/(?:hands|notice-bell|phone-bar|shell-foot)|ui\/(?:toast-viewport|menu-popup|table-display)|dashboards\/parts\/export-menu)\.tsx$/u;

/**
 * Names the chunk of a module that several entries share; null leaves it to the bundler. Without names each set of entries that
 * shares a module gets a file of its own: a dashboard asked for a hundred of them, most under a kilobyte. Here a file is what one
 * set of first loads shares, so that none loads what another needs, and what is opened later shares by role.
 *
 * A module's imports are reached by every entry that reaches it: chunks ask for each other in one direction only.
 */
export function sharedChunks(): (id: string, given: Rolldown.ChunkingContext) => string | null {
  let graph: Graph | undefined;
  return (id, given) => chunkOf(id, (graph ??= readOnce(given)));
}

function chunkOf(id: string, graph: Graph): string | null {
  const module = graph.getModuleInfo(id);
  if (module === null || id.includes('.css') || isWhole(module)) return null;
  const entries = [...entriesOf(id, graph)];
  if (entries.length < 2) return null;
  const first = LOADS.filter(([, pattern]) => entries.some((entry) => pattern.test(entry))).map(([name]) => name);
  if (first.length > 0) {
    const isContained = (name: string): boolean => first.some((other) => CONTAINED[other]?.includes(name));
    return `for-${first.filter((name) => !isContained(name)).join('-')}`;
  }
  if (entries.some((entry) => IDLE.test(entry))) return 'after-first';
  const roles = new Set(
    entries.map((entry) => /\/dashboards\/(?<role>admin|commercial|client|comptable)\//u.exec(entry)?.groups?.['role']),
  );
  return roles.has(undefined) ? 'later' : `later-${ROLES.filter((role) => roles.has(role)).join('-')}`;
}

const ROLES = ['admin', 'commercial', 'client', 'comptable'];

/** An entry that nothing imports: its chunk is its own. */
const isWhole = ({ isEntry, importers, dynamicImporters }: Module): boolean =>
  importers.length === 0 && (isEntry || dynamicImporters.length > 0);

/** The pages, screens and dialogs that load a module with themselves. */
function entriesOf(id: string, graph: Graph): Set<string> {
  const entries = new Set<string>();
  const seen = new Set([id]);
  for (const current of seen) {
    const module = graph.getModuleInfo(current);
    if (module === null) continue;
    if (module.isEntry || module.dynamicImporters.length > 0) entries.add(current);
    for (const importer of module.importers) {
      if (!BARREL.test(importer)) seen.add(importer);
      else for (const user of usersThrough(importer, namesOf(current, importer, graph), graph)) seen.add(user);
    }
  }
  return entries;
}

/** They name everything of a library: who imports one uses what its own import names, and not the rest. */
const BARREL =
  /\/node_modules\/(?:lucide-react\/dist\/esm\/(?:lucide-react|icons\/index)\.mjs|@tanstack\/[\w-]+\/build\/modern\/index\.js)$/u;

/** Names of a module where it is imported: an icon has those that the barrel gives its default export. */
function namesOf(id: string, barrel: string, graph: Graph): readonly string[] {
  return graph.getModuleInfo(barrel)?.defaults.get(path.basename(id)) ?? graph.getModuleInfo(id)?.exports ?? [];
}

function usersThrough(barrel: string, names: readonly string[], graph: Graph): string[] {
  return (graph.getModuleInfo(barrel)?.importers ?? []).flatMap((importer) => {
    if (BARREL.test(importer)) return usersThrough(importer, names, graph);
    const imported = graph.getModuleInfo(importer)?.imported;
    return names.some((name) => imported?.has(name)) ? [importer] : [];
  });
}

/** The bundler's graph, of which each module is read once: it copies what it tells, code included. */
function readOnce(given: Rolldown.ChunkingContext): Graph {
  const known = new Map<string, Module | null>();
  return {
    getModuleInfo(id) {
      const found = known.get(id);
      if (found !== undefined) return found;
      const info = given.getModuleInfo(id);
      const module = info && describe(info, BARREL.test(id));
      known.set(id, module);
      return module;
    },
  };
}

function describe(info: Rolldown.ModuleInfo, isBarrel: boolean): Module {
  const { isEntry, importers, dynamicImporters, exports } = info;
  const imported = new Set<string>();
  const defaults = new Map<string, string[]>();
  const code = info.code ?? '';
  if (!isBarrel) {
    for (const { groups } of code.matchAll(/\bimport\s*\{(?<names>[^}]*)\}/gu)) {
      for (const [name] of (groups?.['names'] ?? '').matchAll(/\w+/gu)) imported.add(name);
    }
  }
  for (const { groups } of isBarrel
    ? code.matchAll(/export \{(?<names>[^}]*)\} from '[^']*\/(?<file>[\w.-]+)'/gu)
    : []) {
    const names = [...(groups?.['names'] ?? '').matchAll(/default as (?<name>\w+)/gu)];
    if (names.length > 0)
      defaults.set(
        groups?.['file'] ?? '',
        names.map((found) => found.groups?.['name'] ?? ''),
      );
  }
  return { isEntry, importers, dynamicImporters, exports, imported, defaults };
}
