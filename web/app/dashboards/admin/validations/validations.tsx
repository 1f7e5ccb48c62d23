import { noContractToValidate } from '@parrain/domain/messages';
import { referrerName, type Sale } from '@parrain/domain/sale';
import { useQuery } from '@tanstack/react-query';
import { BadgeCheck } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { salesToValidateQuery } from '#api/sales/sales-to-validate';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { PageHeader } from '#ui/page-header';
import { ofName } from '../../parts/of-name.ts';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { SalePanel } from '../parts/sale-panel.tsx';
import { RefuseDialog } from './refuse-dialog.tsx';
import { ValidateDialog } from './validate-dialog.tsx';

interface Decision {
  kind: 'validate' | 'refuse';
  sale: Sale;
}

/** AD-09, AD-12, S-06: the contracts that await the admin, the oldest first, each with its two decisions. */
export default function Validations(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('validations', props);
  const sales = useQuery(salesToValidateQuery(list.page));
  const [decision, setDecision] = useState<Decision>();
  const columns = useColumns(setDecision);
  const close = () => setDecision(undefined);
  const inList = decision && sales.data?.rows.find((sale) => sale.id === decision.sale.id);
  return (
    <>
      <PageHeader
        title={t('Validations')}
        description={t('Les contrats que vos commerciaux ont transmis. Valider crée les commissions, définitivement.')}
      />
      <StaleNotice query={sales} />
      <Card>
        <DataTable<Sale>
          caption={t('Contrats à valider')}
          columns={columns}
          rows={sales.data?.rows}
          rowKey={(sale) => sale.id}
          failed={sales.isError && sales.data === undefined}
          onRetry={() => void sales.refetch()}
          refreshing={sales.isFetching}
          onRowOpen={(sale) => list.openRow(sale.id)}
          server={{ page: sales.data, onMove: list.setPage }}
          empty={
            <EmptyState
              icon={<BadgeCheck />}
              title={t(noContractToValidate)}
              description={t('Un contrat arrive ici quand un commercial le passe en attente de validation finale.')}
            />
          }
        />
      </Card>
      <SalePanel
        saleId={list.openId}
        onClose={list.closeRow}
        onOpenSale={list.openRow}
        decisions={(sale) => (
          <Decisions
            sale={sale}
            onDecide={(next) => {
              list.closeRow();
              setDecision(next);
            }}
          />
        )}
      />
      {decision?.kind === 'validate' && (
        <ValidateDialog key={decision.sale.id} sale={decision.sale} latest={inList} onClose={close} />
      )}
      {decision?.kind === 'refuse' && <RefuseDialog sale={decision.sale} onClose={close} />}
    </>
  );
}

function useColumns(onDecide: (decision: Decision) => void): readonly DataColumn<Sale>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        id: 'contact',
        header: t('Client'),
        cell: (sale) => (
          <span className="block max-w-72 min-w-0 break-words">
            {sale.referredContactName}
            {sale.contractDescription !== null && (
              <span className="line-clamp-2 font-normal text-encre-soft max-sm:hidden">{sale.contractDescription}</span>
            )}
          </span>
        ),
      },
      { id: 'commercial', header: t('Commercial'), cell: (sale) => sale.commercialName ?? '—' },
      { id: 'parrain', header: t('Parrain'), cell: (sale) => referrerName(sale) ?? '—' },
      {
        id: 'montant',
        header: t('Montant'),
        align: 'right',
        cell: (sale) => sale.contractAmount !== null && <Amount cents={sale.contractAmount} className="font-medium" />,
      },
      {
        id: 'date',
        header: t('Reçu le'),
        cell: (sale) => <DateText value={sale.createdAt} className="whitespace-nowrap" />,
      },
      {
        id: 'decision',
        header: t('Décision'),
        headerHidden: true,
        align: 'right',
        card: 'foot',
        cell: (sale) => (
          <div className="flex justify-end gap-2 max-sm:grow max-sm:justify-stretch max-sm:[&>*]:grow">
            <Decisions sale={sale} onDecide={onDecide} />
          </div>
        ),
      },
    ],
    [t, onDecide],
  );
}

function Decisions({ sale, onDecide }: { sale: Sale; onDecide: (decision: Decision) => void }) {
  const { t } = useTranslation();
  const name = sale.referredContactName;
  return (
    <>
      <Button
        size="sm"
        aria-label={t('Refuser le contrat {{ofName}}', { ofName: ofName(name) })}
        onClick={() => onDecide({ kind: 'refuse', sale })}
      >
        {t('Refuser')}
      </Button>
      <Button
        size="sm"
        variant="primary"
        aria-label={t('Valider le contrat {{ofName}}', { ofName: ofName(name) })}
        onClick={() => onDecide({ kind: 'validate', sale })}
      >
        {t('Valider')}
      </Button>
    </>
  );
}
