import clsx from 'clsx';
import { buttonClass } from '#ui/button';
import { SiteFooter } from '../landing/site-footer.tsx';
import { SiteHeader } from '../landing/site-header.tsx';
import NotFound from '../not-found.tsx';
import { french } from '@parrain/domain/typography';
import type { Route } from './+types/public-page.ts';
import { publicPages, shownWhen } from './public-pages.ts';

export const meta: Route.MetaFunction = ({ params }) => {
  const page = publicPages.find((candidate) => candidate.slug === params.slug);
  return page
    ? [{ title: `${page.title} – Parrain` }, { name: 'description', content: page.lead }]
    : [{ title: '404 – Parrain' }];
};

export const handle = { document: true };

/** A short public page (L-05). */
export default function PublicPage({ params }: Route.ComponentProps) {
  const page = publicPages.find((candidate) => candidate.slug === params.slug);
  if (!page) return <NotFound />;
  return (
    <>
      <SiteHeader />
      <main id="contenu" tabIndex={-1} className="mx-auto max-w-[44rem] px-5 py-16 sm:px-8 lg:py-24">
        <h1 tabIndex={-1} className="text-2xl tracking-[-0.03em]">
          {page.title}
        </h1>
        <p className="mt-5 text-lg text-encre-soft">{french(page.lead)}</p>
        {page.sections.map(({ title, text, when }) => (
          <section
            key={`${title} ${when}`}
            className={clsx('mt-10 border-t border-hairline pt-8', when && shownWhen[when])}
          >
            <h2 className="text-lg">{french(title)}</h2>
            {text.map((paragraph) => (
              <p key={paragraph} className="mt-2 wrap-anywhere whitespace-pre-line text-encre-soft">
                {french(paragraph)
                  .split(/\{(\w+)\}/u)
                  .map((part, place) => (place % 2 === 0 ? part : <Place key={part} name={part} />))}
              </p>
            ))}
          </section>
        ))}
        <a href="/#calendly" className={`${buttonClass({ size: 'lg' })} mt-12`}>
          Réserver un RDV
        </a>
      </main>
      <SiteFooter />
    </>
  );
}

/** Filled by the server: an address of mail as a link. */
function Place({ name }: { name: string }) {
  if (name !== 'email') return <span data-notice={name}>{name === 'state' ? 'non conforme' : ''}</span>;
  return (
    <a data-notice="email" href="/pages/contact" className="text-sapin underline underline-offset-4">
      e-mail
    </a>
  );
}
