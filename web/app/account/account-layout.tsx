import { Check } from 'lucide-react';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet } from 'react-router';
import { sessions } from '#api/transport/client';
import { screenIsShown, whenIdle } from '#api/transport/idle';
import { Amount } from '#ui/amount';
import { startTranslation } from '../translation.ts';
import { CompanyName } from './company-name.tsx';

/** The pages of an account: the form, and beside it on a wide screen the story of one sale. */
export default function AccountLayout() {
  const { t } = useTranslation();
  // The later code is fetched by the browser, outside React.
  useEffect(() => {
    screenIsShown();
    return whenIdle(prepare);
  }, []);
  return (
    // A share of the window and of no scrollbar: the panel stands at one place, whether a page is longer than the window or not.
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] lg:grid-cols-[56vw_minmax(0,1fr)]">
      {/* From the top: what arrives later moves no field that is on screen. */}
      <div className="flex flex-col px-5 pt-4 sm:px-10">
        <header>
          <Link to="/" reloadDocument className="text-xl">
            <CompanyName />
          </Link>
        </header>
        <main
          id="contenu"
          tabIndex={-1}
          className="mx-auto flex w-full max-w-md grow flex-col pt-6 pb-3 lg:pt-[clamp(1rem,14dvh-6rem,6rem)]"
        >
          <Outlet />
        </main>
        <footer className="pt-1 pb-3 text-sm text-encre-faint">
          <Link to="/pages/confidentialite" reloadDocument className="hover:text-encre hover:underline">
            {t('Confidentialité')}
          </Link>
          {' · '}
          <Link to="/pages/mentions-legales" reloadDocument className="hover:text-encre hover:underline">
            {t('Mentions légales')}
          </Link>
          {' · '}
          <Link to="/pages/accessibilite" reloadDocument className="hover:text-encre hover:underline">
            {t('Accessibilité')}
          </Link>
        </footer>
      </div>
      <aside className="on-deep hidden bg-deep pl-12 text-deep-ink lg:block xl:pl-20">
        {/* In the window, however long the form is. */}
        <div className="sticky top-0 flex min-h-dvh flex-col justify-center py-8">
          <p className="max-w-[22ch] font-heading text-xl font-semibold tracking-tight">
            {t('Chaque recommandation, suivie jusqu’au virement.')}
          </p>
          <ol className="mt-12 flex w-80 flex-col xl:w-96">
            {story.map((step, index) => (
              <li key={step.what} className="relative flex gap-4 pb-8 last:pb-0">
                {index < story.length - 1 && (
                  <span aria-hidden className="absolute top-7 -bottom-1 left-3.25 w-px bg-deep-line" />
                )}
                <span
                  aria-hidden
                  className="flex size-7 shrink-0 items-center justify-center rounded-full border border-deep-line text-deep-accent"
                >
                  <Check className="size-3.5" />
                </span>
                <div className="flex grow items-baseline justify-between gap-6">
                  <div>
                    <p className="font-medium">{t(step.what)}</p>
                    <p className="text-sm text-deep-soft">{t(step.who)}</p>
                  </div>
                  {step.cents !== undefined && (
                    <Amount cents={step.cents} className="font-heading text-lg font-semibold" />
                  )}
                </div>
              </li>
            ))}
          </ol>
        </div>
      </aside>
    </div>
  );
}

/** Loads ahead the code that the page does without at first: i18next, and the client that signs in. */
function prepare(): void {
  void startTranslation();
  sessions().catch(() => undefined);
}

const story: readonly { what: string; who: string; cents?: bigint }[] = [
  { what: 'Hugo recommande Léa', who: '3 mars · invitation envoyée' },
  { what: 'Contrat signé', who: '17 mars · par Julien, commercial', cents: 123_456n },
  { what: 'Validé par l’entreprise', who: '18 mars · commission de 10 %', cents: 12_346n },
  { what: 'Virement reçu', who: '21 mars · sur le compte de Hugo', cents: 12_346n },
];
