import { dayOf } from '@parrain/domain/date';
import { publishedKnowing } from '@parrain/domain/scale-simulation';
import {
  versionChanges,
  versionOn,
  versionState,
  versionStateLabels,
  type ScaleVersion,
  type VersionState,
} from '@parrain/domain/scale-version';
import { useMutation, useQuery } from '@tanstack/react-query';
import { BadgeCheck, Clock, History, Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { scaleVersionsQuery } from '#api/scales/scale-versions';
import { withdrawScaleVersion } from '#api/scales/withdraw-scale-version';
import { reasonOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';

/** SC-01: the versions of a scale, the newest first: from when, by whom, what changed; one to come may be withdrawn. */
export function ScaleVersions({ scaleId }: { scaleId: string }) {
  const { t } = useTranslation();
  const query = useQuery(scaleVersionsQuery(scaleId));
  const [withdrawing, setWithdrawing] = useState<ScaleVersion>();
  const [today] = useState(() => dayOf(new Date()));
  const withdrawal = useMutation({
    mutationFn: (version: ScaleVersion) => withdrawScaleVersion(version.id),
    onSuccess: () => setWithdrawing(undefined),
  });
  return (
    <section aria-label={t('Versions')}>
      <h3 className="mb-3 text-lg">{t('Versions')}</h3>
      {query.data === undefined ? (
        query.isError ? (
          <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
        ) : (
          <Skeleton className="h-24 w-full" />
        )
      ) : (
        <ol className="divide-y divide-hairline rounded-field border border-hairline">
          {query.data.map((version) => (
            <Version
              key={version.id}
              version={version}
              before={formerOf(version, query.data)}
              state={versionState(version, query.data, today)}
              onWithdraw={() => setWithdrawing(version)}
            />
          ))}
        </ol>
      )}
      <ConfirmDialog
        open={withdrawing !== undefined}
        onOpenChange={() => setWithdrawing(undefined)}
        title={t('Retirer la version {{number}} ?', { number: withdrawing?.number })}
        description={t('Elle ne s’appliquera pas. La version en vigueur continue ; celle-ci reste dans la liste.')}
        confirmLabel={t('Retirer la version')}
        pending={withdrawal.isPending}
        error={withdrawal.isError ? reasonOf(withdrawal.error) : undefined}
        onConfirm={() => withdrawing && withdrawal.mutate(withdrawing)}
      />
    </section>
  );
}

const icons: Readonly<Record<VersionState, typeof Clock>> = {
  in_force: BadgeCheck,
  to_come: Clock,
  over: History,
  withdrawn: Undo2,
};

const tones = { in_force: 'green', to_come: 'amber', over: 'neutral', withdrawn: 'neutral' } as const satisfies Record<
  VersionState,
  string
>;

interface VersionProps {
  version: ScaleVersion;
  before: ScaleVersion | undefined;
  state: VersionState;
  onWithdraw: () => void;
}

function Version({ version, before, state, onWithdraw }: VersionProps) {
  const { t } = useTranslation();
  const { number, firstDay, publishedAt, publishedBy } = version;
  const Icon = icons[state];
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{t('Version {{number}}', { number })}</span>
        <Badge tone={tones[state]} icon={<Icon aria-hidden />}>
          {t(versionStateLabels[state])}
        </Badge>
        <span className="text-sm text-encre-soft">
          {t('à partir du')} <DateText value={firstDay} />
        </span>
      </div>
      <p className="break-words">{changeOf(version, before, t)}</p>
      {version.simulated && <p className="text-encre-soft">{t(publishedKnowing(version.simulated))}</p>}
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm text-encre-faint">
        <p>
          {publishedBy === null ? t('Publiée le') : t('Publiée par {{name}} le', { name: publishedBy })}{' '}
          <DateText value={publishedAt} withTime />
        </p>
        {state === 'to_come' && (
          <Button size="sm" onClick={onWithdraw}>
            {t('Retirer')}
          </Button>
        )}
      </div>
    </li>
  );
}

function changeOf(version: ScaleVersion, before: ScaleVersion | undefined, t: (key: string) => string): string {
  if (before === undefined) return t('Première version.');
  const terms = versionChanges(before, version);
  if (terms !== null) return terms;
  return before.name === version.name && before.description === version.description
    ? t('Rien ne change.')
    : t('Nom ou description changés.');
}

/** The version that ruled on the first day of this one until it was published. */
function formerOf({ number, firstDay }: ScaleVersion, versions: readonly ScaleVersion[]): ScaleVersion | undefined {
  return versionOn(
    versions.filter((each) => each.number < number),
    firstDay,
  );
}
