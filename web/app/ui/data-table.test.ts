import { expect, test } from 'vitest';
import { filterRows, sortRows } from './data-table-model.ts';
import type { DataColumn } from './data-table.tsx';

interface Person {
  name: string;
  city: string | null;
}

const people: readonly Person[] = [
  { name: 'Élodie Œuvrard', city: 'Nîmes' },
  { name: 'eric Martin', city: null },
  { name: 'ZOÉ', city: 'Besançon' },
];
const columns: readonly DataColumn<Person>[] = [
  { id: 'name', header: 'Nom', cell: (row) => row.name, searchText: (row) => row.name },
  { id: 'city', header: 'Ville', cell: (row) => row.city, searchText: (row) => row.city },
];

test.each([
  ['', ['Élodie Œuvrard', 'eric Martin', 'ZOÉ']],
  ['elodie', ['Élodie Œuvrard']],
  ['oeuvrard', ['Élodie Œuvrard']],
  ['ŒUVRARD', ['Élodie Œuvrard']],
  ['zoe besancon', ['ZOÉ']],
  ['MARTIN', ['eric Martin']],
  ['martin nimes', []],
  ['   ', ['Élodie Œuvrard', 'eric Martin', 'ZOÉ']],
])('[AD-07] a search finds rows that hold every word, whatever the accents and the case: « %s »', (search, names) => {
  expect(filterRows(people, columns, search).map((row) => row.name)).toEqual(names);
});

test.each([
  ['name', false, ['Élodie Œuvrard', 'eric Martin', 'ZOÉ']],
  ['name', true, ['ZOÉ', 'eric Martin', 'Élodie Œuvrard']],
  ['city', false, ['ZOÉ', 'Élodie Œuvrard', 'eric Martin']],
  ['city', true, ['Élodie Œuvrard', 'ZOÉ', 'eric Martin']],
  ['unknown', false, ['Élodie Œuvrard', 'eric Martin', 'ZOÉ']],
])(
  '[AD-07] rows in the order of « %s », downwards %s: as French sorts, those without a value last',
  (id, desc, names) => {
    const sortable = columns.map((column) => ({
      ...column,
      sortValue: column.searchText as (row: Person) => string | null,
    }));
    expect(sortRows(people, sortable, { id, desc }).map((row) => row.name)).toEqual(names);
  },
);
