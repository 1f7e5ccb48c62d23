import { addMonths } from '@parrain/domain/period';
import { monthName, type StatementPeriod } from '@parrain/domain/statement';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Lock, Settings2, Tag } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { accountingQuery, closeAccountingMonths } from '#api/payments/accounting';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { JournalPeriods } from '../../parts/accounting/journal-periods.tsx';
import type { SectionProps } from '../../shell/sections.ts';

const AccountingDialog = lazyPart(() => import('./accounting-dialog.tsx'));
const AccountingCodesDialog = lazyPart(() => import('./accounting-codes-dialog.tsx'));

/** EX-02: the journal, how to close more of it, and the accounts it is written with. */
export function AccountingJournal(place: Pick<SectionProps, 'detail' | 'openSection'>) {
  const { t } = useTranslation();
  const [isSetting, setIsSetting] = useState(false);
  const [isCoding, setIsCoding] = useState(false);
  const [closing, setClosing] = useState<StatementPeriod>();
  const accounting = useQuery(accountingQuery);
  return (
    <>
      <JournalPeriods
        {...place}
        actionOf={(period) => (
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
        tools={
          <>
            <Button size="sm" icon={<Tag aria-hidden />} onClick={() => setIsCoding(true)}>
              {t('Codes des bénéficiaires')}
            </Button>
            <Button
              size="sm"
              icon={<Settings2 aria-hidden />}
              disabled={accounting.data === undefined}
              onClick={() => setIsSetting(true)}
            >
              {t('Réglages du journal')}
            </Button>
          </>
        }
      />
      {accounting.data !== undefined && accounting.data.withoutStatus > 0 && (
        <Notice className="mt-3" tone="warning">
          {t(
            accounting.data.withoutStatus > 1
              ? '{{count}} commerciaux sans statut : le journal les tient pour des salariés, et n’écrit pas leurs commissions. Indiquez leur statut sur leur fiche.'
              : '{{count}} commercial sans statut : le journal le tient pour un salarié, et n’écrit pas ses commissions. Indiquez son statut sur sa fiche.',
            { count: accounting.data.withoutStatus },
          )}
        </Notice>
      )}
      {isCoding && <AccountingCodesDialog onClose={() => setIsCoding(false)} />}
      {closing && <Closing period={closing} onClose={() => setClosing(undefined)} />}
      {isSetting && accounting.data && (
        <AccountingDialog settings={accounting.data.settings} onClose={() => setIsSetting(false)} />
      )}
    </>
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
