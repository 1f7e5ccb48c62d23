import { readFileSync } from 'node:fs';

import { catalogueOf, EXPECTED } from '../src/catalogue.ts';
import type { OpenedDatabase } from '../src/testing.ts';

/** All that defends the data, one a line, as the catalogue says that the migrations make it. */
export const DEFENCES: readonly string[] = readFileSync(EXPECTED, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [key = '', detail = '', mark] = line.split('\t');
    return mark === 'defence' ? [key + detail] : [];
  });

/** Defences that the database has, by its own catalogue. */
export async function defencesOf(db: Pick<OpenedDatabase, 'asOwner'>): Promise<string> {
  const entries = await catalogueOf((sql) => db.asOwner(sql));
  return entries.flatMap(({ key, detail, is_defence }) => (is_defence ? [`${key}${detail}\n`] : [])).join('');
}

/** The entries of one kind in the list: « not null: public.sales.status » gives its table and its name. */
export function listed(kind: string): { readonly table: string; readonly name: string }[] {
  return DEFENCES.flatMap((line) => {
    const match = /^(?<table>\S+): (?<kind>[a-z ]+) (?<name>[\w.]+)(?: |$)/u.exec(line)?.groups;
    if (match === undefined || match['kind'] !== kind) return [];
    return [{ table: match['table'] ?? '', name: match['name'] ?? '' }];
  });
}

/** Grants on whole tables: one entry for each role and verb. */
export function listedGrants(): { readonly table: string; readonly role: string; readonly verb: string }[] {
  return DEFENCES.flatMap((line) => {
    const match = /^(?<table>\S+): grant to (?<role>\w+) of (?<verbs>[a-z, ]+)$/u.exec(line)?.groups;
    const { table = '', role = '', verbs = '' } = match ?? {};
    return verbs === '' ? [] : verbs.split(', ').map((verb) => ({ table, role, verb }));
  });
}

/** Grants on some columns only. */
export function listedColumns(): {
  readonly table: string;
  readonly role: string;
  readonly verb: string;
  readonly column: string;
}[] {
  return DEFENCES.flatMap((line) => {
    const match = /^(?<table>\S+): grant to (?<role>\w+) of (?<verb>\w+) \((?<columns>[\w, ]+)\)$/u.exec(line)?.groups;
    const { table = '', role = '', verb = '', columns = '' } = match ?? {};
    return columns === '' ? [] : columns.split(', ').map((column) => ({ table, role, verb, column }));
  });
}

/** Functions, each with the roles that may call it. */
export function listedFunctions(): { readonly name: string; readonly roles: readonly string[] }[] {
  return DEFENCES.flatMap((line) => {
    const match = /^(?<schema>\w+): function (?<name>\w+\([^)]*\)) as .* for (?<roles>[a-z_, ]+)$/u.exec(line)?.groups;
    const { schema = '', name = '', roles = '' } = match ?? {};
    return name === '' ? [] : [{ name: `${schema}.${name}`, roles: roles === 'nobody' ? [] : roles.split(', ') }];
  });
}
