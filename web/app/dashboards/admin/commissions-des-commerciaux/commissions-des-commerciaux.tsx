import { formatEuros, sum } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { addMonths, monthsOf } from '@parrain/domain/period';
import { monthName } from '@parrain/domain/statement';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CalendarClock } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  duePeriodsQuery,
  payMonth,
  periodsOfMonthQuery,
  type CommissionPeriod,
} from '#api/payments/commission-periods';
import { messageOf } from '#api/transport/api-error';
import { firstPage } from '#api/transport/read-page';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DataTable, type DataColumn } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { Notice } from '#ui/notice';
import { lazyPart } from '#ui/lazy-part';
import { Select } from '#ui/select';
import { useToast } from '#ui/toast';
import { commissionPeriodColumns } from '../../parts/commission-period-columns.tsx';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { PaymentDayField, usePaymentDay } from '../parts/payment-day.tsx';
import { PaymentTabs } from '../parts/payment-tabs.tsx';

const MonthInvoiceDialog = lazyPart(() => import('./month-invoice-dialog.tsx'));
const MonthInvoiceCell = lazyPart(() => import('./month-invoice-cell.tsx'));

const sectionId = 'commissions-des-commerciaux';
/** Months to choose from, the last one that is over first. */
const monthsShown = 24;

/** PO-05: what each commercial is to be paid for a month that is over, from the ledger; exported for the payroll, then marked paid. */
export default function CommissionsDesCommerciaux(props: SectionProps) {
  const { detail, openSection } = props;
  const { t } = useTranslation();
  const [now] = useState(() => new Date());
  const months = useMemo(() => {
    const { fromMonth } = monthsOf('mois-dernier', now);
    return Array.from({ length: monthsShown }, (_, back) => addMonths(fromMonth, -back));
  }, [now]);
  const [last = ''] = months;
  const month = months.find((one) => one.slice(0, 7) === detail['mois']) ?? last;
  const [page, setPage] = useState(firstPage);
  const periods = useQuery(periodsOfMonthQuery({ month, page }));
  const due = useQuery(duePeriodsQuery(month));
  const [asked, setAsked] = useState<readonly CommissionPeriod[]>();
  const [read, setRead] = useState<CommissionPeriod>();
  // AC-04: an invoice that was sent is looked at before its month is paid: the tax could not follow.
  const payable = due.data?.filter(({ invoice }) => invoice !== 'sent') ?? [];
  const hasInvoices = periods.data?.rows.some(({ invoice }) => invoice !== null) === true;
  const columns = useMemo(
    (): readonly DataColumn<CommissionPeriod>[] => [
      { id: 'nom', header: t('Commercial'), width: 'medium', cell: (period) => <Cell text={period.fullName} /> },
      ...commissionPeriodColumns(t),
      ...(hasInvoices
        ? [
            {
              id: 'facture',
              header: t('Facture'),
              // It names itself; a card of who sends none has no empty line.
              card: 'foot' as const,
              cell: (period: CommissionPeriod) =>
                period.invoice !== null && <MonthInvoiceCell period={period} onRead={() => setRead(period)} />,
            },
          ]
        : []),
      {
        id: 'payer',
        header: t('Payer'),
        headerHidden: true,
        align: 'right',
        card: 'foot',
        cell: (period) =>
          period.status === 'due' &&
          period.invoice !== 'sent' && (
            <Button
              size="sm"
              aria-label={t('Marquer payé : {{name}}', { name: period.fullName })}
              onClick={() => setAsked([period])}
            >
              {t('Marquer payé')}
            </Button>
          ),
      },
    ],
    [t, hasInvoices],
  );
  return (
    <>
      <PaymentTabs
        {...props}
        current={sectionId}
        title={t('Commissions des commerciaux')}
        description={t(
          'Ce que chaque commercial a gagné jusqu’à la fin d’un mois, à payer avec la paie ou par virement.',
        )}
      />
      <StaleNotice query={periods} />
      <Card>
        <DataTable<CommissionPeriod>
          caption={t('Commissions des commerciaux')}
          columns={columns}
          rows={periods.data?.rows}
          rowKey={({ payeeId }) => payeeId}
          // Without what is due nothing could be paid together, and nothing would say so.
          failed={periods.isLoadingError || due.isLoadingError}
          onRetry={refresh}
          refreshing={
            periods.isPlaceholderData ||
            (periods.isLoadingError && periods.isFetching) ||
            (due.isLoadingError && due.isFetching)
          }
          server={{ page: periods.data, onMove: setPage }}
          lead={
            <div className="w-48">
              <Select
                label={t('Mois')}
                size="sm"
                options={months.map((value) => ({ value, label: monthName(value) }))}
                value={month}
                onValueChange={(value) => {
                  setPage(firstPage);
                  openSection(sectionId, { ...detail, mois: value.slice(0, 7) }, { replace: true, keepScroll: true });
                }}
              />
            </div>
          }
          exporting={<ExportMenu list="commission-periods" page={periods.data} />}
          toolbar={
            payable.length > 1 && (
              <Button size="sm" variant="primary" onClick={() => setAsked(payable)}>
                {t('Marquer le mois payé')}
              </Button>
            )
          }
          empty={
            <EmptyState
              icon={<CalendarClock />}
              title={t('Aucune commission jusqu’à la fin de ce mois')}
              description={t('Un commercial paraît ici à partir du mois de sa première commission.')}
            />
          }
        />
      </Card>
      {read !== undefined && <MonthInvoiceDialog period={read} onClose={() => setRead(undefined)} />}
      {asked !== undefined && <PayDialog month={month} periods={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

interface PayDialogProps {
  month: string;
  periods: readonly CommissionPeriod[];
  onClose: () => void;
}

function PayDialog({ month, periods, onClose }: PayDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const choice = usePaymentDay();
  const vat = sum(periods.map((period) => period.vat?.amount ?? 0n));
  const amount = formatEuros(sum(periods.map(({ due }) => due)) + vat);
  const ofMonth = ofName(monthName(month));
  const payment = useMutation({
    mutationFn: () => payMonth(month, periods, choice.day),
    onSuccess: () => {
      toast.success(t('Commissions {{ofMonth}} marquées payées', { ofMonth }), { description: amount });
      onClose();
    },
    // The screen may be stale: the month is read again behind the refusal.
    onError: refresh,
  });
  const [first] = periods;
  const who =
    periods.length === 1 && first !== undefined
      ? first.fullName
      : countText(periods.length, t('commercial'), t('commerciaux'));
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Marquer {{amount}} payés à {{who}} ?', { amount, who })}
      description={t(
        'Commissions {{ofMonth}}, reports compris. À noter une fois la somme versée ; cela ne s’annule pas. Une correction venue depuis la fin du mois compte dans le mois suivant.',
        { ofMonth },
      )}
      confirmLabel={t('Marquer payé')}
      confirmDisabled={choice.day === null}
      pending={payment.isPending}
      error={payment.isError ? messageOf(payment.error, t('Le mois n’a pas pu être marqué payé.')) : undefined}
      onConfirm={() => payment.mutate()}
    >
      <PaymentDayField label={t('Date du paiement')} choice={choice} />
      {vat > 0n && (
        <Notice>{t('Dont {{vat}} de TVA, à verser en plus des commissions.', { vat: formatEuros(vat) })}</Notice>
      )}
    </ConfirmDialog>
  );
}
