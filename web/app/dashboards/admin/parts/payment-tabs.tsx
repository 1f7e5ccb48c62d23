import { useQuery } from '@tanstack/react-query';
import { adminFiguresQuery } from '#api/company/admin-figures';
import { transfersCountQuery } from '#api/payments/batches';
import { dueCountQuery } from '#api/payments/commission-periods';
import { SectionTabs, type SectionTabsProps } from './section-tabs.tsx';

/** The head of the section of payments, with how much waits in each of its lists. */
export function PaymentTabs(props: Omit<SectionTabsProps, 'of' | 'counts'>) {
  const figures = useQuery(adminFiguresQuery).data;
  return (
    <SectionTabs
      {...props}
      of="demandes-de-paiement"
      counts={{
        'demandes-de-paiement': figures?.requestsToDecideCount,
        virements: useQuery(transfersCountQuery).data,
        'commissions-des-commerciaux': useQuery(dueCountQuery).data,
      }}
    />
  );
}
