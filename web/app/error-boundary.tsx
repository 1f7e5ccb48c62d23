import { RotateCw } from 'lucide-react';
import { isRouteErrorResponse, useRouteError } from 'react-router';
import { buttonClass, Button } from '#ui/button';
import { Wordmark } from '#ui/wordmark';

/** The default error screen: what happened, what was kept, what to do. */
export function ErrorBoundary() {
  const error = useRouteError();
  const reference = isRouteErrorResponse(error)
    ? `${error.status} ${error.statusText}`
    : error instanceof Error
      ? error.message
      : undefined;
  return (
    <main className="mx-auto flex min-h-dvh max-w-xl flex-col justify-center gap-4 px-5 py-16">
      <a href="/" className="mb-6 self-start text-xl">
        <Wordmark />
      </a>
      <h1 className="text-xl" tabIndex={-1}>
        Unexpected Application Error!
      </h1>
      <p className="text-encre-soft">
        Une erreur inattendue a interrompu l’affichage. Rien de ce qui était enregistré n’est perdu : rechargez la page,
        ou revenez à l’accueil.
      </p>
      {reference && (
        <p className="rounded-field border border-hairline bg-well px-3 py-2 font-mono text-sm break-words text-encre-soft">
          {reference}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon={<RotateCw />} onClick={() => window.location.reload()}>
          Recharger la page
        </Button>
        <a href="/" className={buttonClass()}>
          Retour à l’accueil
        </a>
      </div>
    </main>
  );
}
