import { Menu, X } from 'lucide-react';
import { buttonClass } from '#ui/button';
import { Wordmark } from '#ui/wordmark';

const anchors = [
  { href: '/#fonctionnement', label: 'Fonctionnement' },
  { href: '/#avantages', label: 'Avantages' },
  { href: '/#fonctionnalites', label: 'Fonctionnalités' },
  { href: '/#tarifs', label: 'Tarifs' },
  { href: '/#calendly', label: 'Réserver un RDV' },
] as const;

/** The public pages' header (L-02). The phone's menu is a native disclosure: it works before any script. */
export function SiteHeader() {
  return (
    <header className="top-0 z-30 not-low:sticky border-b border-hairline bg-papier">
      <div className="mx-auto flex h-16 max-w-[75rem] items-center gap-3 px-5 sm:px-8">
        <a href="/" className="text-xl">
          <Wordmark />
        </a>
        <nav aria-label="Navigation principale" className="mx-auto hidden lg:block">
          <ul className="flex gap-1">
            {anchors.map((anchor) => (
              <li key={anchor.href}>
                <a
                  href={anchor.href}
                  className="flex h-10 items-center rounded-field px-3.5 text-encre-soft transition-colors duration-120 hover:bg-well hover:text-encre"
                >
                  {anchor.label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <a href="/auth/login" className={buttonClass({ variant: 'primary' }) + ' max-lg:ml-auto'}>
          Se connecter
        </a>
        <details data-menu className="group relative lg:hidden">
          <summary
            aria-label="Menu"
            className="flex size-11 list-none items-center justify-center rounded-field text-encre hover:bg-well [&::-webkit-details-marker]:hidden"
          >
            <Menu aria-hidden className="size-5 group-open:hidden" />
            <X aria-hidden className="hidden size-5 group-open:block" />
          </summary>
          <nav
            aria-label="Menu"
            className="absolute top-full right-0 mt-2 w-60 rounded-card border border-hairline bg-sheet p-1.5 shadow-floating"
          >
            <ul>
              {anchors.map((anchor) => (
                <li key={anchor.href}>
                  <a href={anchor.href} className="flex min-h-11 items-center rounded-field px-3 hover:bg-well">
                    {anchor.label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        </details>
      </div>
    </header>
  );
}
