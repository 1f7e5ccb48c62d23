import { Link } from 'react-router';
import { buttonClass } from '#ui/button';
import { Wordmark } from '#ui/wordmark';

export const meta = () => [{ title: '404 – Parrain' }, { name: 'robots', content: 'noindex' }];

/** Any other address: what happened and a way on in French, and the specification's own two sentences, in English. */
export default function NotFound() {
  return (
    <main
      id="contenu"
      tabIndex={-1}
      className="mx-auto flex min-h-dvh max-w-xl flex-col justify-center gap-3 px-5 py-16"
    >
      <Link to="/" className="mb-8 self-start text-xl">
        <Wordmark />
      </Link>
      <h1 tabIndex={-1} className="text-2xl tracking-[-0.03em]">
        <span className="tabular-digits mb-2 block text-lg tracking-normal text-sapin">404</span>
        Cette page n’existe pas
      </h1>
      <p className="text-lg text-encre-soft">
        L’adresse comporte une faute, ou la page a été déplacée. Rien de ce que vous avez enregistré n’est perdu.
      </p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Link to="/" className={buttonClass({ variant: 'primary', size: 'lg' })}>
          Retour à l’accueil
        </Link>
        <Link to="/auth/login" className={buttonClass({ size: 'lg' })}>
          Se connecter
        </Link>
      </div>
      <div lang="en" className="mt-8 border-t border-hairline pt-4 text-sm text-encre-faint">
        <p>This page has not been generated</p>
        <p>Tell me what you would like on this page</p>
      </div>
    </main>
  );
}
