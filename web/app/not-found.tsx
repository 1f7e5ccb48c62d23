import { Link } from 'react-router';
import { buttonClass } from '#ui/button';
import { Wordmark } from '#ui/wordmark';

export const meta = () => [{ title: '404 – Parrain' }, { name: 'robots', content: 'noindex' }];

/** Any other address. The two sentences are the specification's own, in English. */
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
      <h1 tabIndex={-1} className="tabular-digits text-2xl">
        404
      </h1>
      <p lang="en" className="text-lg font-medium">
        This page has not been generated
      </p>
      <p lang="en" className="text-encre-soft">
        Tell me what you would like on this page
      </p>
      <div className="mt-5 flex flex-wrap gap-2">
        <Link to="/" className={buttonClass({ variant: 'primary' })}>
          Retour à l’accueil
        </Link>
        <Link to="/auth/login" className={buttonClass()}>
          Se connecter
        </Link>
      </div>
    </main>
  );
}
