import { setTimeout as wait } from 'node:timers/promises';
import WebSocket from 'ws';

import type { CatalogueFunction, CatalogueRelation } from './catalogue.ts';
import type { IdentityName, World } from './world.ts';

/** Verbs an identity may try on a relation (R3). */
export const VERBS = [
  'GET',
  'HEAD',
  'count',
  'CSV',
  'embed',
  'POST',
  'upsert',
  'PATCH',
  'PUT',
  'DELETE',
  'RPC',
  'realtime',
] as const;
export type Verb = (typeof VERBS)[number];

type Row = Readonly<Record<string, unknown>>;

export type Probes = {
  /** A verdict as the file has it, of one identity's attempt. */
  readonly verb: (verb: Exclude<Verb, 'realtime'>, relation: CatalogueRelation, who: IdentityName) => Promise<string>;
  readonly column: (
    how: 'read' | 'write',
    relation: CatalogueRelation,
    column: string,
    who: IdentityName,
  ) => Promise<string>;
  readonly call: (fn: CatalogueFunction, values: Row, who: IdentityName) => Promise<string>;
  /** For each identity, the verdict of each relation whose changes it asks for, while every row changes. */
  readonly realtime: () => Promise<ReadonlyMap<string, ReadonlyMap<IdentityName, string>>>;
};

/** Writes are answered as they would be, and taken back: a hole that one finds does not hide the next. */
const TAKEN_BACK = 'tx=rollback, return=representation';

export async function createProbes(world: World, relations: readonly CatalogueRelation[]): Promise<Probes> {
  const { server, labels } = world;
  const db = server.database;
  const keys = new Map<string, readonly string[]>();
  const samples = new Map<string, Row>();
  for (const { name, key, generated } of relations) {
    const rows = await db.asOwner<{ key: string; row: Row }>(
      `select ${key}::text as key, to_jsonb(t) as row from public.${name} t order by ${key}`,
    );
    keys.set(
      name,
      rows.map((row) => row.key),
    );
    // The last row: of circle B, or everybody's.
    const last = Object.entries(rows.at(-1)?.row ?? {});
    samples.set(name, Object.fromEntries(last.filter(([column]) => !generated.includes(column))));
  }

  let askedByKey = 0;
  async function ask(
    who: IdentityName,
    path: string,
    init: { readonly method?: string; readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
    const { apikey, token } = world.credentials[who];
    // These requests exceed a key's limit of three hundred a minute: it is reset in time.
    if (who === 'company key' && askedByKey++ % 100 === 0)
      await db.asOwner(`delete from private.rate_limits where bucket like 'api-key:%'`);
    const response = await fetch(`${server.url}/rest/v1/${path}`, {
      method: init.method ?? 'GET',
      headers: {
        apikey,
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...init.headers,
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** Text naming the rows seen, of all that the relation has. */
  function rowsNamed(relation: string, seen: readonly string[], all = keys.get(relation) ?? []): string {
    const unique = [...new Set(seen)];
    if (unique.length === 0) return 'none';
    // A view may show a row several times.
    if (unique.length === new Set(all).size && unique.every((key) => all.includes(key))) return 'all';
    return unique
      .map((key) => labels.get(key) ?? 'unnamed')
      .toSorted()
      .join(' + ');
  }

  function given(
    relation: CatalogueRelation,
    { status, text }: { readonly status: number; readonly text: string },
  ): string {
    if (status >= 300) return String(status);
    const rows = JSON.parse(text) as readonly Row[];
    return `${status} ${rowsNamed(
      relation.name,
      rows.map((row) => String(row[relation.key])),
    )}`;
  }

  function counted(relation: string, headers: Headers): string {
    const total = headers.get('content-range')?.split('/')[1];
    return Number(total) === keys.get(relation)?.length ? 'all' : `${total ?? 'unknown'} rows`;
  }

  /** The ways to embed each relation into another that an admin can see. */
  const embeds = new Map<string, readonly string[]>();
  for (const child of relations) {
    const paths: string[] = [];
    for (const parent of relations) {
      const { status, text } = await ask('admin', `${parent.name}?select=row:${child.name}(${child.key})&limit=0`);
      if (status === 200) paths.push(`${parent.name}?select=row:${child.name}(${child.key})`);
      if (status !== 300) continue;
      const { hint } = JSON.parse(text) as { readonly hint: string };
      for (const choice of new Set(hint.match(/\w+!\w+/gu))) {
        const path = `${parent.name}?select=row:${choice}(${child.key})`;
        // Both ends of a foreign key from a table to itself have one name.
        if ((await ask('admin', `${path}&limit=0`)).status === 200) paths.push(path);
      }
    }
    embeds.set(child.name, paths.length === 0 ? [`company_settings?select=row:${child.name}(${child.key})`] : paths);
  }

  async function embed(relation: CatalogueRelation, who: IdentityName): Promise<string> {
    const statuses = new Set<number>();
    const seen: string[] = [];
    for (const path of embeds.get(relation.name) ?? []) {
      const { status, text } = await ask(who, path);
      statuses.add(status);
      if (status !== 200) continue;
      for (const { row } of JSON.parse(text) as readonly { readonly row: Row | readonly Row[] | null }[]) {
        const inner = Array.isArray(row) ? (row as readonly Row[]) : row === null ? [] : [row as Row];
        seen.push(...inner.map((each) => String(each[relation.key])));
      }
    }
    const seenStatuses = [...statuses].toSorted((a, b) => a - b).join('/');
    return statuses.has(200) ? `${seenStatuses} ${rowsNamed(relation.name, seen)}` : seenStatuses;
  }

  return {
    async verb(verb, relation, who) {
      const { name, key } = relation;
      const sample = samples.get(name) ?? {};
      const some = `${name}?${key}=not.is.null`;
      switch (verb) {
        case 'GET':
          return given(relation, await ask(who, `${name}?select=*`));
        // The number of what they may see, « all » where it is every row.
        case 'HEAD': {
          const { status, text, headers } = await ask(who, name, {
            method: 'HEAD',
            headers: { prefer: 'count=exact' },
          });
          const total = status < 300 ? ` ${counted(name, headers)}` : '';
          return `${status}${total}${text === '' ? '' : ' with a body'}`;
        }
        case 'count': {
          const { status, headers } = await ask(who, `${name}?select=${key}&limit=1`, {
            headers: { prefer: 'count=exact' },
          });
          return status < 300 ? counted(name, headers) : String(status);
        }
        case 'CSV': {
          const { status, text } = await ask(who, `${name}?select=${key}`, { headers: { accept: 'text/csv' } });
          if (status >= 300) return String(status);
          return `${status} ${rowsNamed(name, text.trim().split('\n').slice(1))}`;
        }
        case 'embed':
          return embed(relation, who);
        case 'POST': {
          const isNew = { [key]: typeof sample[key] === 'number' ? 2 : crypto.randomUUID() };
          const body = { ...sample, ...(key in sample ? isNew : {}) };
          return given(relation, await ask(who, name, { method: 'POST', body, headers: { prefer: TAKEN_BACK } }));
        }
        case 'upsert': {
          const prefer = `${TAKEN_BACK}, resolution=merge-duplicates`;
          return given(
            relation,
            await ask(who, `${name}?on_conflict=${key}`, { method: 'POST', body: sample, headers: { prefer } }),
          );
        }
        case 'PATCH': {
          const body = { [relation.written]: sample[relation.written] };
          return given(relation, await ask(who, some, { method: 'PATCH', body, headers: { prefer: TAKEN_BACK } }));
        }
        case 'PUT':
          return given(
            relation,
            await ask(who, `${name}?${key}=eq.${String(sample[key])}`, {
              method: 'PUT',
              body: sample,
              headers: { prefer: TAKEN_BACK },
            }),
          );
        case 'DELETE':
          return given(relation, await ask(who, some, { method: 'DELETE', headers: { prefer: TAKEN_BACK } }));
        case 'RPC':
          return String((await ask(who, `rpc/${name}`, { method: 'POST', body: {} })).status);
      }
    },

    async column(how, relation, column, who) {
      const { name, key } = relation;
      if (how === 'read') {
        // All at once answers to who may do each.
        const allAtOnce = `${name}?select=${column}&${column}=not.is.null&order=${column}&limit=1`;
        if ((await ask(who, allAtOnce)).status === 200) return '200';
        // Shown, filtered by and ordered by: a side channel if one answers what another refuses.
        const answers = [
          await ask(who, `${name}?select=${column}&limit=1`),
          await ask(who, `${name}?select=${key}&${column}=not.is.null&limit=1`),
          await ask(who, `${name}?select=${key}&order=${column}&limit=1`),
        ];
        return [...new Set(answers.map(({ status }) => status))].toSorted((a, b) => a - b).join('/');
      }
      const body = { [column]: samples.get(name)?.[column] ?? null };
      const { status } = await ask(who, `${name}?${key}=not.is.null`, {
        method: 'PATCH',
        body,
        headers: { prefer: 'tx=rollback' },
      });
      return String(status);
    },

    async call(fn, values, who) {
      const { status, text } = await ask(who, `rpc/${fn.name}`, {
        method: 'POST',
        body: values,
        headers: { prefer: 'tx=rollback' },
      });
      if (status >= 300 || text === '') return String(status);
      const answer = JSON.parse(text) as unknown;
      const isOfFigures = Array.isArray(answer) && answer.some((row) => !('id' in (row as Row)));
      if (!Array.isArray(answer) || isOfFigures) return `${status} figures`;
      return `${status} ${rowsNamed(
        '',
        (answer as readonly Row[]).map((row) => String(row['id'])),
        [],
      )}`;
    },

    async realtime() {
      const verdicts = new Map<string, Map<IdentityName, string>>(relations.map(({ name }) => [name, new Map()]));
      const heard = new Map<string, string[]>();
      const joined = new Map<string, boolean>();
      let lastAt = performance.now();
      const sockets = await Promise.all(
        // A socket joins thirty rooms at most: each identity asks through two.
        Object.entries(world.credentials).flatMap(([who, { apikey, token }]) =>
          [0, 1].map(async (half) => {
            const address = `${server.url.replace('http', 'ws')}/realtime/v1/websocket?apikey=${apikey}&vsn=2.0.0`;
            const socket = new WebSocket(address);
            socket.on('message', (data: Buffer) => {
              lastAt = performance.now();
              const [, ref, , event, payload] = JSON.parse(data.toString()) as [
                unknown,
                string | null,
                string,
                string,
                {
                  readonly status?: string;
                  readonly message?: string;
                  readonly extension?: string;
                  readonly data?: { readonly table: string; readonly record: Row };
                },
              ];
              const asked = relations[Number(ref ?? -1)]?.name;
              if (event === 'phx_reply' && asked !== undefined && payload.status !== 'ok')
                joined.set(`${who} ${asked}`, false);
              if (event !== 'postgres_changes' || payload.data === undefined) return;
              const { table, record } = payload.data;
              const key = relations.find(({ name }) => name === table)?.key ?? 'id';
              const seen = heard.get(`${who} ${table}`) ?? [];
              seen.push(String(record[key]));
              heard.set(`${who} ${table}`, seen);
            });
            const isOpen = await new Promise<boolean>((resolve, reject) => {
              socket.once('open', () => resolve(true));
              socket.once('unexpected-response', (_request, { statusCode }) =>
                statusCode === 401 ? resolve(false) : reject(new Error(`A socket was answered ${statusCode}`)),
              );
              socket.once('error', reject);
            });
            if (!isOpen) {
              for (const { name } of relations) joined.set(`${who} ${name}`, false);
              return socket;
            }
            for (const [index, { name }] of relations.entries()) {
              if (index % 2 !== half) continue;
              const config = { postgres_changes: [{ event: '*', schema: 'public', table: name }] };
              const payload = { config, access_token: token ?? apikey };
              socket.send(JSON.stringify([String(index), String(index), `realtime:${name}`, 'phx_join', payload]));
            }
            return socket;
          }),
        ),
      );
      const quiet = async (): Promise<void> => {
        lastAt = performance.now();
        while (performance.now() - lastAt < 700) await wait(50);
      };
      await quiet();
      const touched = await touchEveryRow(world, relations);
      await quiet();
      for (const socket of sockets) socket.terminate();
      for (const who of Object.keys(world.credentials) as IdentityName[]) {
        for (const { name } of relations) {
          const seen = heard.get(`${who} ${name}`) ?? [];
          const isRefused = joined.get(`${who} ${name}`) === false;
          const rows = rowsNamed(name, seen, touched.get(name) ?? []);
          const twice = seen.length > new Set(seen).size ? ' twice' : '';
          verdicts
            .get(name)
            ?.set(who, isRefused ? `refused${seen.length === 0 ? '' : ` ${rows}`}` : `told ${rows}${twice}`);
        }
      }
      return verdicts;
    },
  };
}

/** Every row of every told table changes into itself, past the triggers that guard it, for the triggers that tell it. */
async function touchEveryRow(
  { server }: World,
  relations: readonly CatalogueRelation[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const touched = new Map<string, readonly string[]>();
  for (const { name, key, isView } of relations) {
    const telling = await server.database.asOwner<{ name: string }>(
      `select tgname as name from pg_trigger where tgrelid = $1::regclass and tgfoid = 'private.record_changes'::regproc`,
      [`public.${name}`],
    );
    if (isView || telling.length === 0) continue;
    await server.database.asOwner(
      [
        'begin',
        `alter table public.${name} disable trigger user`,
        ...telling.map((trigger) => `alter table public.${name} enable trigger ${trigger.name}`),
        `update public.${name} set ${key} = ${key}`,
        `alter table public.${name} enable trigger user`,
        'commit',
      ].join('; '),
    );
    const rows = await server.database.asOwner<{ key: string }>(`select ${key}::text as key from public.${name}`);
    touched.set(
      name,
      rows.map((row) => row.key),
    );
  }
  return touched;
}
