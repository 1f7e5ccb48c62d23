import { SearchX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { isGone } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';

export interface AbsentRecordProps {
  query: { isError: boolean; error: unknown; isFetching: boolean; refetch: () => Promise<unknown> };
  /** Said where the address names nothing that the reader may see. */
  goneTitle: string;
  goneDescription: string;
  onClose: () => void;
  /** Said while it comes. */
  loading: string;
  /** The sizes of what will stand there, from top to bottom. */
  skeletons: readonly string[];
}

/** A panel whose record is not there: it comes, it is gone, or it could not be read (NV-01). */
export function AbsentRecord({ query, goneTitle, goneDescription, onClose, loading, skeletons }: AbsentRecordProps) {
  const { t } = useTranslation();
  if (query.isError && isGone(query.error)) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={goneTitle}
        description={goneDescription}
        action={<Button onClick={onClose}>{t('Revenir à la liste')}</Button>}
      />
    );
  }
  if (query.isError) return <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />;
  return (
    <div role="status" className="flex flex-col gap-4">
      <span className="sr-only">{loading}</span>
      {skeletons.map((size) => (
        <Skeleton key={size} className={size} />
      ))}
    </div>
  );
}
