import { RotateCw, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

export interface ErrorStateProps {
  /** The event, in a sentence. */
  title?: string | undefined;
  description?: string | undefined;
  onRetry: () => void;
  pending?: boolean | undefined;
  /** Another way on, beside « Réessayer ». */
  action?: ReactNode;
}

/** The data could not be loaded (E-05): never looks like an empty list, and offers « Réessayer ». */
export function ErrorState({
  title = 'Le chargement a échoué',
  description = 'Vos données n’ont pas changé. Vérifiez votre connexion, puis réessayez.',
  onRetry,
  pending = false,
  action,
}: ErrorStateProps) {
  return (
    <div role="alert" className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <span className="mb-3 flex size-11 items-center justify-center rounded-full bg-danger-tint text-danger">
        <TriangleAlert aria-hidden className="size-5" />
      </span>
      <p className="font-medium">{title}</p>
      <p className="max-w-[44ch] text-encre-soft">{description}</p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        <Button icon={<RotateCw />} pending={pending} onClick={onRetry}>
          Réessayer
        </Button>
        {action}
      </div>
    </div>
  );
}
