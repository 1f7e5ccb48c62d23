import { use, useEffect, useRef, useState, type ReactNode } from 'react';
import {
  UNSAFE_FrameworkContext as FrameworkContext,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useLocation,
  useMatches,
  useNavigation,
} from 'react-router';
import './styles/app.css';
import bricolage from '@fontsource-variable/bricolage-grotesque/files/bricolage-grotesque-latin-wght-normal.woff2?url';
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import landingScript from 'virtual:landing-script';
import { Wordmark } from '#ui/wordmark';
import { belowFloorSentence, floorScript } from './floor.ts';
import { pageStands } from './starts.ts';
import type { Route } from './+types/root.ts';

export const links: Route.LinksFunction = () => [
  { rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
  { rel: 'apple-touch-icon', href: '/apple-touch-icon.png' },
  { rel: 'manifest', href: '/app.webmanifest' },
  ...[inter, bricolage].map((href) => ({
    rel: 'preload',
    as: 'font',
    type: 'font/woff2',
    crossOrigin: 'anonymous' as const,
    href,
  })),
];

export const meta: Route.MetaFunction = () => [{ title: 'Parrain' }];

/**
 * The stored theme, set before the first paint. With the floor's, these are the only hand-written inline scripts of the application:
 * their text never changes at run time, so that the content security policy can name its hash. (Key: ui/theme-switch.)
 */
const themeScript = `try{var t=localStorage.getItem('theme');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t}catch(e){}`;

/** The document every page stands in. */
export function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="fr" suppressHydrationWarning>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="theme-color" content="#f9f6f0" media="(prefers-color-scheme: light)" />
        <meta name="theme-color" content="#10141c" media="(prefers-color-scheme: dark)" />
        <script dangerouslySetInnerHTML={{ __html: themeScript + floorScript }} />
        <Meta />
        <Links />
      </head>
      <body>
        {/* Its styles (app.css) show it where the floor's script says so. */}
        <p data-below-floor="" data-nosnippet="" style={{ display: 'none' }}>
          {belowFloorSentence}
        </p>
        {children}
        <PageScripts />
      </body>
    </html>
  );
}

/**
 * A page whose handle says `document` is prerendered and stays a document: it loads landing/document.ts (a few KB) instead of the
 * application. In development it is hydrated like the rest, so that edits show at once.
 */
function PageScripts() {
  const matches = useMatches();
  // The fallback page is rendered at `/` too, and it alone says so here: it is the application's.
  const isFallback = use(FrameworkContext)?.isSpaMode === true;
  // The page as it was first loaded: a later navigation inside the application takes no script away.
  const [isDocument] = useState(
    () => import.meta.env.PROD && !isFallback && matches.some(({ handle }) => isDocumentHandle(handle)),
  );
  if (isDocument) return <script type="module" src={landingScript} />;
  return (
    <>
      <ScrollRestoration />
      <Scripts />
    </>
  );
}

function isDocumentHandle(handle: unknown): boolean {
  return typeof handle === 'object' && handle !== null && 'document' in handle && handle.document === true;
}

export default function App() {
  useEffect(pageStands, []);
  return (
    <>
      <SkipLink />
      <PendingBar />
      <NavigationFocus />
      <Outlet />
    </>
  );
}

/** Shown while the first screen of a page that is not prerendered arrives. */
export function HydrateFallback() {
  return (
    <main className="animate-late flex min-h-dvh items-center justify-center">
      <div role="status" className="text-xl">
        <Wordmark className="animate-breathe" />
        <span className="sr-only">Chargement…</span>
      </div>
    </main>
  );
}

export { ErrorBoundary } from './error-boundary.tsx';

function SkipLink() {
  return (
    <a
      href="#contenu"
      data-screen-only=""
      className="fixed top-2 left-2 z-80 -translate-y-20 rounded-field bg-sapin px-4 py-2.5 font-medium text-on-sapin focus:translate-y-0"
      onClick={(event) => {
        event.preventDefault();
        const main = document.querySelector<HTMLElement>('main');
        main?.focus();
        main?.scrollIntoView();
      }}
    >
      Aller au contenu
    </a>
  );
}

function PendingBar() {
  const pending = useNavigation().state !== 'idle';
  return (
    <div aria-hidden className="pointer-events-none fixed inset-x-0 top-0 z-80 h-0.5 overflow-hidden">
      {pending && (
        <div className="animate-late h-full w-full">
          <div className="animate-breathe h-full w-full bg-sapin" />
        </div>
      )}
    </div>
  );
}

/** After a navigation to another page the h1 receives the focus: it is read aloud, and Tab goes on from there. */
function NavigationFocus() {
  const { pathname } = useLocation();
  const shownPath = useRef(pathname);
  // The document's focus is outside React.
  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    const heading = document.querySelector('h1');
    heading?.setAttribute('tabindex', '-1');
    heading?.focus({ preventScroll: true });
  }, [pathname]);
  return null;
}
