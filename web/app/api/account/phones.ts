import type { NoticeTopic } from '@parrain/domain/notice';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';
import { noticeChoicesQuery } from './notices.ts';

/** A device of one's own that is told of what happens (UI-16). */
export interface Phone {
  endpoint: string;
  user_agent: string | null;
  created_at: string;
  is_current: boolean;
}

export interface ThisPhone {
  /** State of notifications in this browser; `refused` by its settings, `unsupported` by itself. */
  state: 'on' | 'off' | 'refused' | 'unsupported';
  /** The key of the installation that browsers subscribe with. */
  publicKey: string;
  /** Number of this person's devices that get them, this one included. */
  devices: number;
}

export const thisPhoneQuery = queryOptions({
  queryKey: ['this-phone'],
  queryFn: async (): Promise<ThisPhone> => {
    const { public_key: publicKey, devices } = await readPhones();
    return { state: await stateOf(devices), publicKey, devices: devices.length };
  },
});

export async function readPhones(): Promise<{ public_key: string; devices: readonly Phone[] }> {
  const { data } = await callFunction<{ data: { public_key: string; devices: readonly Phone[] } }>('notices', {
    method: 'GET',
    query: { action: 'phones' },
  });
  return data;
}

async function stateOf(devices: readonly Phone[]): Promise<ThisPhone['state']> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window)) return 'unsupported';
  if (Notification.permission === 'denied') return 'refused';
  const subscription = await (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription();
  return devices.some((device) => device.is_current && device.endpoint === subscription?.endpoint) ? 'on' : 'off';
}

/** Asks the browser for permission, which it gives to a press alone, and tells the server. False where it says no. */
export async function receiveHere(publicKey: string): Promise<boolean> {
  const permission = await Notification.requestPermission();
  if (permission === 'granted') {
    await navigator.serviceWorker.register(worker);
    const { pushManager } = await navigator.serviceWorker.ready;
    // One of another installation of this address: its key was another.
    await (await pushManager.getSubscription())?.unsubscribe();
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
    const { endpoint, keys } = subscription.toJSON();
    await callFunction('notices', { query: { action: 'subscribe' }, body: { endpoint, keys } });
    // For the worker, whose browser may be given another address while no page is open.
    const kept = await caches.open('push');
    await kept.put(worker, new Response(JSON.stringify({ subscription, key: publicKey })));
  }
  await queryClient.invalidateQueries({ queryKey: thisPhoneQuery.queryKey });
  return permission === 'granted';
}

/** Nothing more on this device: the server forgets it, and so does the browser. */
export async function stopHere(): Promise<void> {
  await callFunction('notices', { query: { action: 'unsubscribe' } });
  await (await navigator.serviceWorker.getRegistration('/'))?.unregister();
  await caches.delete('push');
  await queryClient.invalidateQueries({ queryKey: thisPhoneQuery.queryKey });
}

const worker = '/push.js';

/** Sets whether a topic is told on one's phones. */
export async function choosePhone(topic: NoticeTopic, onPhone: boolean): Promise<void> {
  await callFunction('notices', { query: { action: 'choose_phone' }, body: { topic, on_phone: onPhone } });
  await queryClient.invalidateQueries({ queryKey: noticeChoicesQuery.queryKey });
}
