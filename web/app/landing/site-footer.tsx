import { Wordmark } from '#ui/wordmark';

const columns = [
  {
    title: 'Produit',
    links: [
      { href: '/#fonctionnement', label: 'Fonctionnement' },
      { href: '/#avantages', label: 'Avantages' },
      { href: '/#fonctionnalites', label: 'Fonctionnalités' },
      { href: '/#tarifs', label: 'Tarifs' },
    ],
  },
  {
    title: 'Entreprise',
    links: [
      { href: '/pages/a-propos', label: 'À propos' },
      { href: '/pages/contact', label: 'Contact' },
      { href: '/pages/blog', label: 'Blog' },
      { href: '/pages/carrieres', label: 'Carrières' },
    ],
  },
  {
    title: 'Légal',
    links: [
      { href: '/pages/mentions-legales', label: 'Mentions légales' },
      { href: '/pages/confidentialite', label: 'Confidentialité' },
      { href: '/pages/cgu', label: 'CGU' },
      { href: '/pages/cookies', label: 'Cookies' },
    ],
  },
] as const;

/** The public pages' footer (L-05). */
export function SiteFooter() {
  return (
    <footer className="border-t border-hairline">
      <div className="mx-auto grid max-w-[75rem] gap-x-6 gap-y-8 px-5 py-10 max-lg:grid-cols-2 sm:px-8 lg:grid-cols-[1.4fr_1fr_1fr_1fr]">
        <div className="max-w-xs max-lg:col-span-2 max-lg:max-w-none">
          <p className="text-xl">
            <Wordmark />
          </p>
          <p className="mt-3 text-encre-soft">
            Le parrainage commercial tenu comme un grand livre&nbsp;: chaque vente, chaque commission, chaque virement.
          </p>
        </div>
        {columns.map((column) => (
          <nav key={column.title} aria-label={column.title}>
            <h2 className="font-sans text-sm font-medium tracking-normal text-encre-faint">{column.title}</h2>
            <ul className="mt-2">
              {column.links.map((link) => (
                <li key={link.href}>
                  <a
                    href={link.href}
                    className="inline-flex min-h-9 items-center text-encre-soft hover:text-encre hover:underline hover:underline-offset-4 max-sm:min-h-11"
                  >
                    {link.label}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        ))}
      </div>
      <p className="mx-auto max-w-[75rem] border-t border-hairline px-5 py-5 text-sm text-encre-faint sm:px-8">
        © Parrain · Conçu en France{/* The server says where it is hosted (HOSTED_IN). */}
        <span data-hosting="" /> ·{' '}
        <a href="/pages/accessibilite" className="hover:text-encre hover:underline hover:underline-offset-4">
          Accessibilité&nbsp;: <span data-notice="state">non conforme</span>
        </a>
      </p>
    </footer>
  );
}
