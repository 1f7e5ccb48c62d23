import type { Role } from '@parrain/domain/role';
import type { RealtimeChannel, RealtimeClient } from '@supabase/supabase-js';
import { useEffect } from 'react';
import { ApiError } from './api-error.ts';
import { isView, supabase } from './client.ts';
import { whenIdle } from './idle.ts';
import { setConnection, setReachable } from './connection.ts';
import { queryClient } from './query-client.ts';

/** The tables each dashboard reads: the server tells of their rows, of those that the person may read (RT-01). */
const tables: Readonly<Record<Role, readonly Table[]>> = {
  admin: [
    'sales',
    'commission_payments',
    'payment_requests',
    'profiles',
    'commission_rates',
    'company_settings',
    'notices',
  ],
  commercial: ['sales', 'commission_payments', 'balances', 'profiles', 'company_settings', 'notices'],
  client: ['sales', 'commission_payments', 'payment_requests', 'balances', 'profiles', 'company_settings', 'notices'],
  comptable: ['profiles'],
};

type Table = keyof typeof readings;

/** The queries to invalidate when a row of the table changes, by the first word of their keys. */
const readings = {
  sales: ['sales', 'figures', 'clients', 'audit'],
  commission_payments: ['commission_payments', 'commission-payments', 'figures', 'audit'],
  payment_requests: ['payment_requests', 'payment-requests', 'figures', 'audit'],
  balances: ['figures', 'client-balance'],
  // An obstacle of a person (no commercial, an address to prove, a mandate, an account) is told as a change of theirs (DF-07).
  profiles: [
    'profiles',
    'sales',
    'clients',
    'figures',
    'audit',
    'invitation-rights',
    'personal-link',
    'own-account',
    'payee',
    'bank-account',
    'payment_requests',
  ],
  commission_rates: ['commission-rates', 'audit'],
  company_settings: ['company-settings', 'programme-rules', 'audit'],
  notices: ['notices'],
} as const;

const moving = new Set<unknown>(Object.values(readings).flat());
/** True when a change between a first screen and the connection would be missed: the company's settings change once in a while. */
const isMoving = ({ queryKey: [kind] }: { queryKey: readonly unknown[] }) => moving.has(kind) && !settled.has(kind);
const settled = new Set<unknown>(['company-settings', 'programme-rules']);

/** Debounce: one decision changes several rows of several tables, which are read again together. */
const gatherMs = 120;
/** Debounce: a connection that is back within this time was never lost. */
const lostAfterMs = 3_000;

/** Keeps the dashboard as the server knows it, for as long as it is on screen; another's screen is read anew by its lists' own polling. */
export function useLiveChanges(role: Role, profileId: string): void {
  // The connection is the browser's, outside React.
  useEffect(() => (isView ? undefined : follow(role, profileId)), [role, profileId]);
}

function follow(role: Role, profileId: string): () => void {
  let stopped = false;
  let wasConnected = false;
  let client: RealtimeClient | undefined;
  let channel: RealtimeChannel | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let losing: ReturnType<typeof setTimeout> | undefined;
  const changed = new Set<Table>();

  function noteChange(table: Table): void {
    changed.add(table);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      const stale = new Set<unknown>([...changed].flatMap((name) => readings[name]));
      changed.clear();
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => stale.has(queryKey[0]) });
    }, gatherMs);
  }

  function hear(status: 'ok' | 'lost'): void {
    if (stopped) return;
    if (status === 'ok') {
      clearTimeout(losing);
      losing = undefined;
      setConnection('live');
      setReachable(true);
      // Catches up on the changes since the connection was lost; the first time, on those since the first screen was read.
      void queryClient.invalidateQueries(wasConnected ? {} : { predicate: isMoving });
      wasConnected = true;
      return;
    }
    losing ??= setTimeout(() => {
      setConnection('lost');
      // From here on the queries poll, and so notice an ended session too.
      void queryClient.invalidateQueries();
    }, lostAfterMs);
  }

  const answers = queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated') return;
    if (event.action.type === 'success') setReachable(true);
    else if (event.action.type === 'error' || event.action.type === 'failed') {
      const { error } = event.action;
      if (error instanceof ApiError && error.status === 0) setReachable(false);
    }
  });

  async function open(): Promise<void> {
    client = await (await supabase()).realtime();
    // The first join says who asks.
    await client.setAuth();
    if (stopped) return;
    channel = client.channel(`dashboard-${profileId}`);
    for (const table of tables[role]) {
      // Only the key travels: the rows are read where they are shown.
      const select = [table === 'balances' ? 'profile_id' : 'id'];
      channel.on('postgres_changes', { event: '*', schema: 'public', table, select }, () => noteChange(table));
    }
    channel.on('system', {}, (message: { status: string }) => hear(message.status === 'ok' ? 'ok' : 'lost'));
    channel.subscribe((status) => {
      // Changes flow only from the system's own message on, which comes after this.
      if ((status as string) !== 'SUBSCRIBED') hear('lost');
    });
  }

  /** The browser knows that the network is back, or the page is looked at again: no need to wait for the next try. */
  function wake(): void {
    if (document.visibilityState === 'visible' && navigator.onLine) client?.connect();
  }
  window.addEventListener('online', wake);
  document.addEventListener('visibilitychange', wake);

  // The first screen comes first; `hear` reads again what changed before the server tells of it.
  const callOff = whenIdle(() => void open().catch(() => hear('lost')));
  return () => {
    stopped = true;
    callOff();
    clearTimeout(gathering);
    clearTimeout(losing);
    answers();
    window.removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', wake);
    if (channel) void client?.removeChannel(channel);
    setConnection('idle');
  };
}
