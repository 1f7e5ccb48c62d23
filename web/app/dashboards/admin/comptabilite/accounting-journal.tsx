import { addMonths } from '@parrain/domain/period';
import {
  statementDays,
  statementLengthLabels,
  statementLengths,
  monthName,
  statementPeriods,
  type StatementPeriod,
} from '@parrain/domain/statement';
import { useMutation, useQuery } from '@tanstack/react-query';
import { BookOpenText, FileSpreadsheet, FileText, Lock, LockOpen, Settings2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountingQuery, closeAccountingMonths } from '#api/payments/accounting';
import { downloadJournal } from '#api/payments/download-journal';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DataTable, type DataColumn } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { FilterChips } from '#ui/filter-chips';
import { useToast } from '#ui/toast';
import { lazyPart } from '#ui/lazy-part';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useDownload } from '../../parts/use-download.ts';
import type { SectionProps } from '../../shell/sections.ts';

const AccountingDialog = lazyPart(() => import('./accounting-dialog.tsx'));

/** EX-02: the accounting journal by period, what of it is closed, and how to close more. */
export function AccountingJournal({ detail, openSection }: Pick<SectionProps, 'detail' | 'openSection'>) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [now] = useState(() => new Date());
  const [isSetting, setIsSetting] = useState(false);
  const [closing, setClosing] = useState<StatementPeriod>();
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
          {!isClosed(period) && period !== periods?.[0] && (
            <Button
              size="sm"
              variant="quiet"
              icon={<Lock aria-hidden />}
              aria-label={t('Clôturer : {{period}}', { period: t(period.label) })}
              onClick={() => setClosing(period)}
            >
              {t('Clôturer')}
            </Button>
          )}
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
            <Button
              size="sm"
              icon={<Settings2 aria-hidden />}
              disabled={accounting.data === undefined}
              onClick={() => setIsSetting(true)}
            >
              {t('Comptes du journal')}
            </Button>
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
      {closing && <Closing period={closing} onClose={() => setClosing(undefined)} />}
      {isSetting && accounting.data && (
        <AccountingDialog settings={accounting.data.settings} onClose={() => setIsSetting(false)} />
      )}
    </Card>
  );
}

function Closing({ period, onClose }: { period: StatementPeriod; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const until = addMonths(period.beforeDay, -1);
  const close = useMutation({
    mutationFn: () => closeAccountingMonths(until),
    onSuccess: () => {
      onClose();
      toast.success(t('Le journal est clos jusqu’à {{month}}', { month: monthName(until) }));
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Clôturer le journal jusqu’à {{month}} ?', { month: monthName(until) })}
      description={t(
        'Les écritures de ces mois deviennent définitives : leurs numéros, leurs comptes et les noms des bénéficiaires ne changent plus, et aucune autre ne peut s’y ajouter. Une clôture ne s’annule pas.',
      )}
      confirmLabel={t('Clôturer')}
      pending={close.isPending}
      error={close.isError ? messageOf(close.error, t('Le journal n’a pas pu être clos.')) : undefined}
      onConfirm={() => close.mutate()}
    />
  );
}
