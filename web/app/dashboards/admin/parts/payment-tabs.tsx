import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { adminFiguresQuery } from '#api/company/admin-figures';
import { transfersCountQuery } from '#api/payments/batches';
import { dueCountQuery } from '#api/payments/commission-periods';
import { TabLinks } from '#ui/tab-links';
import type { SectionProps } from '../../shell/sections.ts';

/**
 * The head of the section of payments: its title (DF-11), and a tab for each list, an address of its own that tells how much
 * waits there.
 */
export function PaymentTabs({
  current,
  openSection,
  hrefOf,
  title,
  description,
  actions,
}: Pick<SectionProps, 'openSection' | 'hrefOf'> & {
  current: PaymentTab;
  title?: string;
  description?: ReactNode;
  actions?: ReactNode;
}) {
  const { t } = useTranslation();
  const figures = useQuery(adminFiguresQuery).data;
  const transfers = useQuery(transfersCountQuery).data;
  const due = useQuery(dueCountQuery).data;
  return (
    <header className={clsx('max-sm:-mt-6', title === undefined ? 'mb-5' : 'mb-3 max-sm:mb-2')}>
      {title !== undefined && (
        <h2 className="mb-2 text-xl max-sm:sr-only" tabIndex={-1}>
          {title}
        </h2>
      )}
      <TabLinks<PaymentTab>
        label={t('Paiements')}
        current={current}
        onSelect={(id) => openSection(id)}
        hrefOf={(id) => hrefOf(id)}
        actions={actions}
        tabs={[
          { id: 'demandes-de-paiement', label: t('Demandes'), count: figures?.requestsToDecideCount },
          { id: 'virements', label: t('Virements'), count: transfers },
          { id: 'commissions-des-commerciaux', label: t('Commerciaux'), count: due },
          { id: 'historique-des-paiements', label: t('Historique') },
        ]}
      />
      {description !== undefined && (
        <p className="mt-3 max-w-[90ch] text-encre-soft max-sm:mt-2 max-sm:text-sm">{description}</p>
      )}
    </header>
  );
}

type PaymentTab = 'demandes-de-paiement' | 'virements' | 'commissions-des-commerciaux' | 'historique-des-paiements';
