import {
  statementDays,
  statementLengthLabels,
  statementLengths,
  statementPeriods,
  type StatementPeriod,
} from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { FileArchive, FileSpreadsheet, FileText, FolderOpen } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadStatement } from '#api/payments/download-statement';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { FilterChips } from '#ui/filter-chips';
import type { SectionProps } from '../shell/sections.ts';
import { StaleNotice } from './stale-notice.tsx';
import { useDownload } from './use-download.ts';

export interface StatementsProps extends Pick<SectionProps, 'detail' | 'openSection'> {
  /** Section whose address keeps the length of the periods. */
  sectionId: string;
  /** Owner of the account; null for an archive of everybody's. */
  payeeId: string | null;
  title: string;
  className?: string | undefined;
}

/** PP-03: the statements of an account by month, quarter or year, the latest first. */
export function Statements({ sectionId, payeeId, title, className, detail, openSection }: StatementsProps) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [now] = useState(() => new Date());
  const first = useQuery(firstAccountLineQuery(payeeId));
  const since = first.data;
  const length = statementLengths.find((known) => known === detail['releves']) ?? 'mois';
  const periods = useMemo(
    () => (since === undefined ? undefined : since === null ? [] : statementPeriods(length, since, now)),
    [since, length, now],
  );
  const file = (period: StatementPeriod, format: 'pdf' | 'csv' | 'zip') => {
    const key = `${period.name}.${format}`;
    const word = { pdf: 'PDF', csv: 'CSV', zip: t('Tout télécharger') }[format];
    const wanted = format === 'zip' || payeeId === null ? 'everybody' : { payeeId, format };
    return (
      <Button
        key={format}
        size="sm"
        icon={icons[format]}
        pending={pending === key}
        aria-label={t('{{word}} : {{period}}', { word, period: t(period.label) })}
        onClick={() => void start(key, (signal) => downloadStatement(period.name, wanted, signal))}
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
      cell: (period) => (
        <Cell
          text={t(period.label)}
          className="font-medium"
          second={
            period === periods?.[0] ? t('en cours, {{days}}', { days: statementDays(period) }) : statementDays(period)
          }
        />
      ),
    },
    {
      id: 'fichiers',
      header: t('Fichiers'),
      align: 'right',
      card: 'foot',
      cell: (period) => (
        <div className="flex justify-end gap-2">
          {payeeId === null ? file(period, 'zip') : [file(period, 'pdf'), file(period, 'csv')]}
        </div>
      ),
    },
  ];
  return (
    <Card className={className}>
      <StaleNotice query={first} />
      <DataTable<StatementPeriod>
        title={title}
        caption={title}
        columns={columns}
        rows={periods}
        rowKey={(period) => period.name}
        failed={first.isLoadingError}
        onRetry={refresh}
        refreshing={first.isLoadingError && first.isFetching}
        pageSize={12}
        toolbar={
          Boolean(periods?.length) && (
            <FilterChips
              label={t('Longueur des relevés')}
              options={statementLengths.map((value) => ({ value, label: t(statementLengthLabels[value]) }))}
              value={length}
              onValueChange={(releves) =>
                openSection(sectionId, { ...detail, releves }, { replace: true, keepScroll: true })
              }
            />
          )
        }
        empty={
          <EmptyState
            icon={<FolderOpen />}
            title={t('Aucun relevé pour le moment')}
            description={t('Le premier relevé s’ouvre avec la première commission validée.')}
          />
        }
      />
    </Card>
  );
}

const icons = {
  pdf: <FileText aria-hidden />,
  csv: <FileSpreadsheet aria-hidden />,
  zip: <FileArchive aria-hidden />,
};
