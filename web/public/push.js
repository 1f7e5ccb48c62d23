// The service worker of notifications (UI-16): shows what the server sends, and opens what it is about. It caches no page and
// intercepts no request.

const PLACE = '/push.js';

self.addEventListener('push', (event) => {
  event.waitUntil(show(event.data));
});

// A browser takes the subscription away from whoever shows nothing.
async function show(data) {
  let message = {};
  try {
    message = data?.json() ?? {};
  } catch {
    // Shown without its words.
  }
  const { title = 'Du nouveau dans votre espace', body = '', url = '/auth/login', tag } = message;
  await self.registration.showNotification(title, {
    body,
    tag,
    lang: 'fr',
    icon: '/icon-192.png',
    data: { url },
  });
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.url ?? '/'));
});

// Another tab stays as it is: something may be half written there.
async function open(address) {
  const url = new URL(address, self.location.origin);
  const target = url.origin === self.location.origin ? url.href : self.location.origin;
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = windows.find((window) => window.url === target);
  await (there === undefined ? self.clients.openWindow(target) : there.focus());
}

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event.oldSubscription));
});

// The push service gave the browser another address: the server is told, by what the former one alone knew. Not every browser says
// what that was, so the page keeps it, in the one store that both reach in a line.
async function renew(old) {
  const cache = await caches.open('push');
  const kept = await (await cache.match(PLACE))?.json();
  const former = old?.toJSON() ?? kept?.subscription;
  if (former === undefined) return;
  const subscription = await self.registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: kept?.key ?? old.options.applicationServerKey,
  });
  const { publishableKey } = await (await fetch('/config.json')).json();
  await fetch('/functions/v1/phone-renewal', {
    method: 'POST',
    headers: { apikey: publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ former, subscription }),
  });
  await cache.put(PLACE, new Response(JSON.stringify({ subscription, key: kept?.key })));
}
