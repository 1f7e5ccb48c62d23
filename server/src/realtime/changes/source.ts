import type { Listener } from '#platform/listener';
import type { Log } from '#platform/log';

/** A changed row, without its content, which each viewer reads with their own rights. */
export type Change = {
  readonly table: string;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly key: string;
  /** The people besides admins who could read the row; null where anyone might. */
  readonly audience: ReadonlySet<string> | null;
  readonly at: string;
  /** The reading that found it, counted from 1. */
  readonly place: number;
};

/** The source of changes. Logical replication would have the same interface. */
export type ChangeSource = {
  /** Reads the commits since the last reading, soon; a debounce makes one reading of many calls. */
  readonly wake: (reason: 'own commit' | 'told') => void;
  /**
   * Gives the place of a reading begun after this call: what was committed before the call stands at or before it, what
   * is committed from then on stands after. @throws where the database cannot be read.
   */
  readonly caughtUp: () => Promise<number>;
  readonly start: () => Promise<void>;
  readonly stop: () => void;
};

export type ChangeSourceOptions = {
  readonly listener: Listener;
  readonly log: Log;
  /** True while somebody shows rows: without them nothing is polled (DF-73). */
  readonly isWatched: () => boolean;
  /** Called in order, one batch at a time; while one is worked on, the next grows. */
  readonly deliver: (changes: readonly Change[]) => Promise<void>;
  /** Changes may have been missed: everyone who shows rows must read again. */
  readonly onGap: () => void;
};

type Entry = {
  readonly id: number;
  readonly xid: string;
  readonly table_name: string;
  readonly operation: Change['operation'];
  readonly key: string;
  readonly audience: readonly string[] | null;
  readonly at: string;
};

const CHANNEL = 'parrain_changes';
const PAGE = 1000;
/** A flood (an import) is not delivered row by row: everyone who shows rows reads again. */
const FLOOD = 20_000;
/** The debounce between two readings: under load, one serves several commits. */
const GAP_MS = 3;
/** Catches the commits of a server that died before its notification. */
const POLL_MS = 500;
/** Entries are kept for an hour: after a longer silence some are gone. */
const MEMORY_MS = 50 * 60_000;

/**
 * Reads private.changes when it is woken. A transaction's entries appear when it commits, whatever their numbers, so the
 * position is no number but a snapshot: every commit that the last snapshot did not see is new. Nothing is read twice,
 * nothing is missed, and a long transaction holds nobody up.
 */
export function createChangeSource({ listener, log, isWatched, deliver, onGap }: ChangeSourceOptions): ChangeSource {
  /** Names this node in its notifications, which it then ignores itself. */
  const node = crypto.randomUUID();
  let seen: string | undefined;
  /** The timeline of the snapshot: a promotion begins another. */
  let timeline: string | undefined;
  let seenAt = 0;
  let isReading = false;
  let isAskedAgain = false;
  let isOwnCommit = false;
  let poll: NodeJS.Timeout | undefined;
  let waiting: Change[] = [];
  let place = 0;
  let catchingUp: { readonly resolve: (place: number) => void; readonly reject: (error: unknown) => void }[] = [];
  let isDelivering = false;
  const stopping = new AbortController();

  listener.listen(CHANNEL, (payload) => {
    if (payload !== node) wake('told');
  });
  // Notifications were lost with the connection, so read now.
  listener.onOpen(() => wake('told'));

  function wake(reason: 'own commit' | 'told'): void {
    if (reason === 'own commit') isOwnCommit = true;
    isAskedAgain = true;
    if (!isReading && !stopping.signal.aborted) void readAll();
  }

  async function readAll(): Promise<void> {
    isReading = true;
    let asking: typeof catchingUp = [];
    try {
      while (isAskedAgain && !stopping.signal.aborted) {
        isAskedAgain = false;
        asking = catchingUp;
        catchingUp = [];
        const tells = isOwnCommit;
        isOwnCommit = false;
        const changes = await readNew(place + 1);
        place += 1;
        for (const { resolve } of asking) resolve(place);
        asking = [];
        if (changes.length > 0) {
          if (tells) void tellOthers();
          waiting.push(...changes);
          void deliverWaiting();
        }
        await new Promise((resolve) => setTimeout(resolve, GAP_MS));
      }
    } catch (error) {
      // The snapshot stays: the next reading starts from it.
      log.debug({ err: error }, 'Changes could not be read');
      for (const { reject } of [...asking, ...catchingUp]) reject(error);
      catchingUp = [];
    } finally {
      isReading = false;
    }
  }

  async function readNew(at: number): Promise<Change[]> {
    const since = seen;
    if (since === undefined || isForgotten(seenAt)) {
      await begin();
      if (since !== undefined) onGap();
      return [];
    }
    const entries: Entry[] = [];
    let until: string | null = null;
    let isAnother = false;
    for (;;) {
      const [page]: readonly Page[] = await listener.query<Page>({
        text: READ,
        values: [since, entries.at(-1)?.id ?? 0, until],
      });
      if (page === undefined) throw new Error('The reading of changes gave no row');
      until ??= page.seen;
      if (page.timeline !== timeline) isAnother = true;
      entries.push(...page.entries);
      if (page.entries.length < PAGE) break;
      if (entries.length >= FLOOD) {
        seen = until;
        seenAt = Date.now();
        onGap();
        return [];
      }
    }
    if (isAnother || xmaxOf(until) < xmaxOf(since)) {
      // Another history: a restored database, or a standby that was promoted, whose transactions may have the numbers of some
      // that were lost.
      await begin();
      onGap();
      return [];
    }
    seen = until;
    seenAt = Date.now();
    return folded(entries, at);
  }

  async function begin(): Promise<void> {
    const [row] = await listener.query<{ seen: string; timeline: string }>({
      text: `select pg_current_snapshot()::text as seen, ${TIMELINE} as timeline`,
    });
    seen = row?.seen;
    timeline = row?.timeline;
    seenAt = Date.now();
  }

  async function tellOthers(): Promise<void> {
    await listener
      .query({ text: 'select pg_notify($1, $2)', values: [CHANNEL, node] })
      .catch((error: unknown) => log.debug({ err: error }, 'Other nodes were not told'));
  }

  async function deliverWaiting(): Promise<void> {
    if (isDelivering) return;
    isDelivering = true;
    try {
      while (waiting.length > 0 && !stopping.signal.aborted) {
        const batch = waiting;
        waiting = [];
        await deliver(batch);
      }
    } catch (error) {
      log.error({ err: error }, 'Changes could not be delivered');
      onGap();
    } finally {
      isDelivering = false;
    }
  }

  return {
    wake,
    caughtUp: () =>
      new Promise((resolve, reject) => {
        catchingUp.push({ resolve, reject });
        wake('told');
      }),
    async start() {
      await begin();
      poll = setInterval(() => {
        if (isWatched()) wake('told');
      }, POLL_MS);
      poll.unref();
    },
    stop() {
      stopping.abort();
      clearInterval(poll);
    },
  };
}

type Page = { readonly seen: string; readonly timeline: string; readonly entries: readonly Entry[] };

const TIMELINE = 'left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)';

const READ = `select pg_current_snapshot()::text as seen, ${TIMELINE} as timeline, coalesce((
    select json_agg(json_build_object('id', c.id, 'xid', c.xid::text, 'table_name', c.table_name, 'operation', c.operation,
      'key', c.key, 'audience', c.audience, 'at', c.at) order by c.id)
    from (
      select * from private.changes n
      where n.xid >= pg_snapshot_xmin($1::pg_snapshot) and not pg_visible_in_snapshot(n.xid, $1::pg_snapshot)
        and n.id > $2 and ($3::pg_snapshot is null or pg_visible_in_snapshot(n.xid, $3::pg_snapshot))
      order by n.id limit ${PAGE}) c), '[]') as entries`;

function isForgotten(seenAt: number): boolean {
  return Date.now() - seenAt > MEMORY_MS;
}

/** The first transaction that the snapshot knows nothing of: it only grows. */
function xmaxOf(snapshot: string): bigint {
  return BigInt(snapshot.split(':')[1] ?? '0');
}

/** The entries of one transaction about one row, as one change: readers see the row as it left it. */
function folded(entries: readonly Entry[], place: number): Change[] {
  const changes = new Map<string, Change>();
  for (const entry of entries) {
    const name = `${entry.xid} ${entry.table_name} ${entry.key}`;
    const before = changes.get(name);
    const change: Change = {
      table: entry.table_name,
      operation: entry.operation,
      key: entry.key,
      audience: entry.audience === null ? null : new Set(entry.audience),
      at: new Date(entry.at).toISOString(),
      place,
    };
    // Last, where it happened last.
    changes.delete(name);
    if (before?.operation === 'INSERT' && entry.operation === 'DELETE') continue;
    changes.set(name, before?.operation === 'INSERT' ? { ...change, operation: 'INSERT' } : change);
  }
  return [...changes.values()];
}
