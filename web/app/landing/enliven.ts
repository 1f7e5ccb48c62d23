import { publicConfig } from '#api/transport/public-config';
import { showError } from './show-error.ts';

/**
 * Gives the landing page its only behaviours: the phone's menu closes once used, the calculator and the booking block come
 * alive when they are near the screen. Gives back the way to undo all of it, the scheduling service's script included (L-04).
 */
export function enliven(): () => void {
  const leaving = new AbortController();
  const { signal } = leaving;
  closeMenuAfterUse(signal);
  const calculator = document.querySelector<HTMLFormElement>('[data-calculator]');
  if (calculator) whenNear(calculator, () => void openCalculator(calculator, signal), signal);
  const booking = document.querySelector('[data-booking]');
  if (booking) {
    const open = () => {
      void openBooking(booking, signal);
      void loadRules();
    };
    whenNear(booking, open, signal);
    listenToForm(booking, signal);
  }
  return () => leaving.abort();
}

function whenNear(element: Element, act: () => void, signal: AbortSignal): void {
  const watcher = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      act();
    },
    { rootMargin: '600px' },
  );
  watcher.observe(element);
  signal.addEventListener('abort', () => watcher.disconnect());
}

/** Loads the calculator's script; where it cannot be loaded, the example stays. */
async function openCalculator(form: HTMLFormElement, signal: AbortSignal): Promise<void> {
  const script = await import('./enliven-calculator.ts').catch(() => null);
  if (!signal.aborted) script?.enlivenCalculator(form, signal);
}

function closeMenuAfterUse(signal: AbortSignal): void {
  const menu = document.querySelector<HTMLDetailsElement>('details[data-menu]');
  if (!menu) return;
  const close = () => menu.removeAttribute('open');
  menu.addEventListener('click', (event) => event.target instanceof Element && event.target.closest('a') && close(), {
    signal,
  });
  document.addEventListener(
    'click',
    (event) => event.target instanceof Node && !menu.contains(event.target) && close(),
    { signal },
  );
  menu.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !menu.open) return;
      close();
      menu.querySelector('summary')?.focus();
    },
    { signal },
  );
}

const consentKey = 'calendly-consent';
const widgetScript = 'https://assets.calendly.com/assets/external/widget.js';

async function openBooking(booking: Element, signal: AbortSignal): Promise<void> {
  // Without a configuration the product's own form stays: sending it will say that the server does not answer.
  const config = await publicConfig().catch(() => undefined);
  if (!config?.calendlyUrl || signal.aborted) return;
  const url = config.calendlyUrl;
  const { dataset } = document.documentElement;
  // The server says so already; not where the page is served by another.
  if (dataset['closed']?.includes('booking') !== true) dataset['closed'] = `${dataset['closed'] ?? ''} booking`.trim();
  part(booking, 'consent').querySelector('a')?.setAttribute('href', url);
  const load = () => loadWidget(booking, url, signal);
  if (remembered()) {
    // It was agreed to before: the calendar has its place at once.
    show(part(booking, 'consent'), false);
    load();
  } else
    part(booking, 'agree').addEventListener(
      'click',
      () => {
        remember();
        load();
      },
      { signal, once: true },
    );
}

/** The widget, inline, 320 px wide at least and 700 px high. Where its script cannot load the link stays. */
function loadWidget(booking: Element, url: string, signal: AbortSignal): void {
  const place = part(booking, 'widget');
  const inline = document.createElement('div');
  inline.className = 'calendly-inline-widget';
  inline.dataset['url'] = url;
  inline.style.minWidth = '320px';
  inline.style.height = '700px';
  place.replaceChildren(inline);
  const script = document.createElement('script');
  script.src = widgetScript;
  script.async = true;
  script.addEventListener('load', () => show(part(booking, 'consent'), false));
  script.addEventListener('error', () => {
    show(place, false);
    show(part(booking, 'consent'), true);
    part(booking, 'agree').remove();
  });
  document.body.append(script);
  show(place, true);
  signal.addEventListener('abort', () => {
    script.remove();
    place.replaceChildren();
  });
}

function listenToForm(booking: Element, signal: AbortSignal): void {
  const form = part(booking, 'form');
  if (!(form instanceof HTMLFormElement)) return;
  form.addEventListener(
    'submit',
    (event) => {
      event.preventDefault();
      void sendRequest(booking, form);
    },
    { signal },
  );
  form.addEventListener(
    'input',
    (event) => event.target instanceof Element && showError(form, event.target.getAttribute('name') ?? '', ''),
    { signal },
  );
}

async function sendRequest(booking: Element, form: HTMLFormElement): Promise<void> {
  const button = form.querySelector('button[type=submit]');
  if (button?.getAttribute('aria-busy') === 'true') return;
  const failure = part(form, 'failure');
  failure.textContent = '';
  const payload = Object.fromEntries(new FormData(form));
  button?.setAttribute('aria-busy', 'true');
  try {
    const issues = await issuesOf(payload);
    if (issues.length > 0) {
      showIssues(form, issues);
      button?.removeAttribute('aria-busy');
      return;
    }
    const { publishableKey } = await publicConfig();
    const reply = await fetch('/functions/v1/appointment-request', {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: publishableKey },
      body: JSON.stringify(payload),
    });
    if (reply.ok) {
      show(form, false);
      const sent = part(booking, 'sent');
      show(sent, true);
      sent.focus();
    } else {
      const refusal = (await reply.json().catch(() => ({}))) as { error?: string; issues?: Issue[] };
      if (refusal.issues?.length) showIssues(form, refusal.issues);
      failure.textContent = refusal.error ?? unreachable;
    }
  } catch {
    failure.textContent = unreachable;
  }
  button?.removeAttribute('aria-busy');
}

/** The form's own rules are loaded when it is near: they weigh four times what the rest of the page does. */
const loadRules = () => import('./check-request.ts').catch(() => null);

/** Issues of a request; none where the rules cannot be loaded: the server has the same. */
async function issuesOf(payload: unknown): Promise<readonly Issue[]> {
  return (await loadRules())?.issuesOfRequest(payload) ?? [];
}

interface Issue {
  path: readonly (string | number)[];
  message: string;
}

const unreachable = 'Votre demande n’a pas pu partir. Rien n’est perdu : vérifiez votre connexion, puis réessayez.';

function showIssues(form: HTMLFormElement, issues: readonly Issue[]): void {
  for (const issue of issues.toReversed()) {
    const name = String(issue.path[0] ?? '');
    showError(form, name, issue.message);
    const field = form.elements.namedItem(name);
    if (field instanceof HTMLElement) field.focus();
  }
}

function part(parent: Element, name: string): HTMLElement {
  const found = parent.querySelector<HTMLElement>(`[data-booking-${name}]`);
  if (!found) throw new Error(`The booking block has no « ${name} »`);
  return found;
}

function show(element: HTMLElement, shown: boolean): void {
  element.hidden = !shown;
}

function remembered(): boolean {
  try {
    return localStorage.getItem(consentKey) === 'yes';
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(consentKey, 'yes');
  } catch {
    // Storage is closed: the agreement holds for this visit.
  }
}
