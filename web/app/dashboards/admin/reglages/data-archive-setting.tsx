import { archiveAsked } from '@parrain/domain/messages';
import { groupThousands } from '@parrain/domain/money';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleCheck, Clock, Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { archivesQuery, askArchive, downloadArchive, type Archive } from '#api/company/company-archive';
import { messageOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { useDownload } from '../../parts/use-download.ts';
import { bytesText } from '../parts/bytes-text.ts';
import { SettingCard } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';

/** EX-03: the company's whole data, asked for and taken away. */
export function DataArchiveSetting({ title }: SettingProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const archives = useQuery(archivesQuery);
  const ask = useMutation({ mutationFn: askArchive, onSuccess: () => toast.success(t(archiveAsked)) });
  const [newest] = archives.data ?? [];
  return (
    <SettingCard
      title={title}
      description={t(
        'Toutes les données de l’entreprise en une archive de tableaux CSV, chaque colonne expliquée. Elle se prépare sans vous et reste ici sept jours.',
      )}
    >
      {archives.data ? (
        <>
          {archives.data.map((archive) => (
            <ArchiveState key={archive.id} archive={archive} />
          ))}
          {ask.isError && (
            <Notice tone="error">{messageOf(ask.error, t('L’archive n’a pas pu être demandée.'))}</Notice>
          )}
          {newest?.status !== 'making' && (
            <Button size="sm" className="self-start" pending={ask.isPending} onClick={() => ask.mutate()}>
              {newest === undefined ? t('Préparer une archive') : t('Préparer une nouvelle archive')}
            </Button>
          )}
        </>
      ) : archives.isError ? (
        <ErrorState onRetry={() => void archives.refetch()} pending={archives.isFetching} />
      ) : (
        <Skeleton className="h-11 w-full" />
      )}
    </SettingCard>
  );
}

function ArchiveState({ archive }: { archive: Archive }) {
  const { t } = useTranslation();
  if (archive.status === 'failed') {
    return (
      <Notice tone="error" title={t('L’archive n’a pas pu être préparée')}>
        {t('Demandez-en une nouvelle. Si cela dure, prévenez qui s’occupe du serveur.')}
      </Notice>
    );
  }
  return (
    <div role="status" className="flex flex-col gap-3 rounded-field border border-hairline bg-papier px-4 py-3">
      {archive.status === 'making' ? (
        <>
          <Badge tone="blue" icon={<Clock aria-hidden />} className="self-start">
            {t('En préparation')}
          </Badge>
          <p className="text-sm text-encre-soft">
            <Asked archive={archive} />{' '}
            {t('Vous pouvez quitter cette page : une notification vous dira quand elle est prête.')}
          </p>
        </>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <Badge tone="green" icon={<CircleCheck aria-hidden />}>
              {t('Prête')}
            </Badge>
            <span className="tabular-digits text-sm text-encre-soft">
              {bytesText(archive.size)} · {t('{{number}} lignes', { number: groupThousands(String(archive.rowCount)) })}
            </span>
          </div>
          <p className="text-sm text-encre-soft">
            <Asked archive={archive} /> {t('Disponible jusqu’au')} <DateText value={archive.expiresAt} withTime />.
          </p>
          <DownloadButton id={archive.id} />
        </>
      )}
    </div>
  );
}

function Asked({ archive: { askedAt, askedBy } }: { archive: Archive }) {
  const { t } = useTranslation();
  return (
    <>
      {askedBy === null ? t('Demandée le') : t('Demandée par {{name}} le', { name: askedBy })}{' '}
      <DateText value={askedAt} withTime />.
    </>
  );
}

function DownloadButton({ id }: { id: string }) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  return (
    <Button
      size="sm"
      variant="primary"
      className="self-start"
      icon={<Download />}
      pending={pending !== undefined}
      onClick={() => void start(id, (signal) => downloadArchive(id, { signal, onProgress: () => undefined }))}
    >
      {t('Télécharger')}
    </Button>
  );
}
