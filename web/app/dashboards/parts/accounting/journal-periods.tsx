import { addMonths } from '@parrain/domain/period';
import {
  statementDays,
  statementLengthLabels,
  statementLengths,
  statementPeriods,
  type StatementPeriod,
} from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { BookOpenText, FileSpreadsheet, FileText, Lock, LockOpen } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { accountingQuery } from '#api/payments/accounting';
import { downloadJournal } from '#api/payments/download-journal';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { refresh } from '#api/transport/refresh';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { FilterChips } from '#ui/filter-chips';
import { StaleNotice } from '../stale-notice.tsx';
import { useDownload } from '../use-download.ts';
import type { SectionProps } from '../../shell/sections.ts';

export interface JournalPeriodsProps extends Pick<SectionProps, 'detail' | 'openSection'> {
  /** The admin's act on a period that is over and open; nothing for an accountant. */
  actionOf?: (period: StatementPeriod) => ReactNode;
  tools?: ReactNode;
}

/** EX-02, UI-12: the accounting journal by period, each with what of it is closed, and its files. */
export function JournalPeriods({ detail, openSection, actionOf, tools }: JournalPeriodsProps) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [now] = useState(() => new Date());
  const first = useQuery(firstAccountLineQuery(null));
  const accounting = useQuery(accountingQuery);
  const since = first.data;
  const length = statementLengths.find((known) => known === detail['journal']) ?? 'mois';
  const periods = useMemo(
    () =>
      since === undefined || accounting.data === undefined
        ? undefined
        : since === null
          ? []
          : statementPeriods(length, since, now),
    [since, accounting.data, length, now],
  );
  const closedUntil = accounting.data?.closedUntil ?? null;
  const isClosed = (period: StatementPeriod) => closedUntil !== null && addMonths(period.beforeDay, -1) <= closedUntil;
  const file = (period: StatementPeriod, format: 'txt' | 'csv', word: string) => {
    const key = `${period.name}.${format}`;
    return (
      <Button
        size="sm"
        icon={format === 'csv' ? <FileSpreadsheet aria-hidden /> : <FileText aria-hidden />}
        pending={pending === key}
        aria-label={t('Journal {{word}} : {{period}}', { word, period: t(period.label) })}
        onClick={() => void start(key, (signal) => downloadJournal(period.name, format, signal))}
      >
        {word}
      </Button>
    );
  };
  const columns: readonly DataColumn<StatementPeriod>[] = [
    {
      id: 'periode',
      header: t('Période'),
      width: 'wide',
      cell: (period) => <Cell text={t(period.label)} className="font-medium" second={statementDays(period)} />,
    },
    {
      id: 'etat',
      header: t('État'),
      cell: (period) =>
        isClosed(period) ? (
          <Badge tone="green" icon={<Lock aria-hidden />}>
            {t('Clos')}
          </Badge>
        ) : (
          <Badge tone="neutral" icon={<LockOpen aria-hidden />}>
            {period === periods?.[0] ? t('En cours') : t('Ouvert')}
          </Badge>
        ),
    },
    {
      id: 'fichiers',
      header: t('Fichiers'),
      align: 'right',
      card: 'foot',
      cell: (period) => (
        <div className="flex flex-wrap justify-end gap-2 max-wide:justify-start">
          {!isClosed(period) && period !== periods?.[0] && actionOf?.(period)}
          {file(period, 'txt', t('Format FEC'))}
          {file(period, 'csv', 'CSV')}
        </div>
      ),
    },
  ];
  return (
    <Card>
      <StaleNotice query={accounting} />
      <DataTable<StatementPeriod>
        title={t('Journal comptable')}
        caption={t('Journal comptable')}
        columns={columns}
        rows={periods}
        rowKey={(period) => period.name}
        failed={first.isLoadingError || accounting.isLoadingError}
        onRetry={refresh}
        refreshing={(first.isLoadingError && first.isFetching) || (accounting.isLoadingError && accounting.isFetching)}
        pageSize={12}
        toolbar={
          <>
            {Boolean(periods?.length) && (
              <FilterChips
                label={t('Longueur des périodes du journal')}
                options={statementLengths.map((value) => ({ value, label: t(statementLengthLabels[value]) }))}
                value={length}
                onValueChange={(journal) =>
                  openSection('comptabilite', { ...detail, journal }, { replace: true, keepScroll: true })
                }
              />
            )}
            {tools}
          </>
        }
        empty={
          <EmptyState
            icon={<BookOpenText />}
            title={t('Aucune écriture pour le moment')}
            description={t('Le journal s’ouvre avec la première commission validée.')}
          />
        }
      />
    </Card>
  );
}
