import { useQuery } from '@tanstack/react-query';
import { ArrowRight, Check, CircleX } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditEntity } from '@parrain/domain/audit';
import { auditActor, auditWords, type AuditChange } from '@parrain/domain/audit-words';
import { auditQuery } from '#api/company/audit-entries';
import { firstPage } from '#api/transport/read-page';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Pagination } from '#ui/pagination';
import { Skeleton } from '#ui/skeleton';
import { Timeline } from '#ui/timeline';

interface AuditTimelineProps {
  entity: AuditEntity;
  entityId: string | readonly string[];
}

/** The audit trail of one row, or of several that are one: actor, act, time, change and reason. */
export function AuditTimeline({ entity, entityId }: AuditTimelineProps) {
  const { t } = useTranslation();
  const [page, setPage] = useState(firstPage);
  const trail = useQuery(auditQuery({ entity, entityId, page }));
  if (trail.data === undefined) {
    if (trail.isError) return <ErrorState onRetry={() => void trail.refetch()} pending={trail.isFetching} />;
    return (
      <div role="status" className="flex flex-col gap-4">
        <span className="sr-only">{t('Chargement : historique')}</span>
        <Skeleton className="h-10 w-3/4" />
        <Skeleton className="h-10 w-2/3" />
      </div>
    );
  }
  if (trail.data.rowCount === 0) return <p className="text-encre-soft">{t('Rien n’a encore été enregistré.')}</p>;
  return (
    <>
      <Timeline
        label={t('Historique')}
        entries={trail.data.rows.map((entry) => {
          const { sentence, tone, changes } = auditWords(entry, entry.names);
          return {
            id: entry.id,
            title: sentence,
            meta: (
              <>
                {auditActor(entry)} · <DateText value={entry.at} withTime />
              </>
            ),
            detail: (
              <>
                {entry.reason !== null && <p className="break-words">« {entry.reason} »</p>}
                {entry.action === 'update' && <AuditChanges changes={changes.filter((change) => !change.isDetail)} />}
              </>
            ),
            tone,
            icon: tone === 'done' ? <Check /> : tone === 'refused' ? <CircleX /> : undefined,
          };
        })}
      />
      <Pagination label={t('Historique')} page={trail.data} onMove={setPage} />
    </>
  );
}

/** From what to what, one line a column. */
export function AuditChanges({ changes }: { changes: readonly AuditChange[] }) {
  const { t } = useTranslation();
  if (changes.length === 0) return null;
  return (
    <dl className="grid gap-0.5">
      {changes.map(({ label, before, after }) => (
        <div key={label} className="flex flex-wrap items-baseline gap-x-1.5">
          <dt className="text-encre-faint">{label}</dt>
          <dd className="flex min-w-0 flex-wrap items-baseline gap-x-1.5 break-words">
            {before !== null && (
              <>
                <del className="text-encre-faint decoration-encre-faint/60">{before}</del>
                <ArrowRight aria-label={t('devient')} className="size-3 shrink-0 self-center text-encre-faint" />
              </>
            )}
            <ins className="min-w-0 no-underline">{after ?? t('rien')}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
