import { isPaidOtherwise, transferObstacle, type TransferObstacle } from '@parrain/domain/payment-batch';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Transfer } from '#api/payments/batches';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { DateText } from '#ui/date';
import { useSendsMail } from '../../parts/use-sends-mail.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { LiftDialog, liftLabel } from '../parts/lift-dialog.tsx';
import { PlaceLink } from '../parts/place-link.tsx';

type Blocked = Omit<Transfer, 'obstacle'> & { obstacle: TransferObstacle };

/** PO-01, PO-05: approved transfers and months of commercials that no batch can take, each with its reason and the way to mend it; nothing where there is none. */
export function BlockedTransfers({
  transfers,
  hrefOf,
}: Pick<SectionProps, 'hrefOf'> & { transfers: readonly Transfer[] }) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const blocked = useMemo(
    () =>
      transfers.flatMap((transfer): Blocked[] => {
        const obstacle = transferObstacle(transfer, sendsMail);
        return obstacle === null || isPaidOtherwise(transfer.obstacle) ? [] : [{ ...transfer, obstacle }];
      }),
    [transfers, sendsMail],
  );
  const [lifted, setLifted] = useState<Blocked>();
  const columns = useMemo(
    (): readonly DataColumn<Blocked>[] => [
      {
        id: 'client',
        header: t('Bénéficiaire'),
        width: 'medium',
        cell: (transfer) => <Cell text={transfer.clientName} className="font-medium" />,
      },
      { id: 'montant', header: t('Montant'), align: 'right', cell: (transfer) => <Amount cents={transfer.amount} /> },
      {
        id: 'pourquoi',
        header: t('Ce qui l’empêche'),
        width: 'wide',
        cell: (transfer) => <Cell text={t(transfer.obstacle.reason)} whole className="wide:py-2" />,
      },
      {
        id: 'depuis',
        header: t('Dû depuis le'),
        cell: (transfer) => <DateText value={transfer.createdAt} className="whitespace-nowrap" />,
      },
      {
        id: 'remede',
        header: t('Remède'),
        align: 'right',
        card: 'foot',
        cell: (transfer) => {
          const { mend } = transfer.obstacle;
          const lift = (
            <LiftButton
              transfer={transfer}
              label={t(liftLabel(mend === 'refused'))}
              onClick={() => setLifted(transfer)}
            />
          );
          if (mend === 'wait') return lift;
          const way = placeOf(mend, transfer);
          const link = (
            <PlaceLink
              to={hrefOf(way.section, { [way.record]: way.record === 'demande' ? transfer.id : transfer.clientId })}
              aria-label={t('{{label}} : {{name}}', { label: t(way.label), name: transfer.clientName })}
            >
              {t(way.label)}
            </PlaceLink>
          );
          if (mend !== 'refused') return link;
          return (
            <span className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2">
              {link}
              {lift}
            </span>
          );
        },
      },
    ],
    [t, hrefOf],
  );
  if (blocked.length === 0) return null;
  return (
    <Card className="mb-5">
      <DataTable<Blocked>
        title={t('Virements qui ne peuvent pas partir')}
        caption={t('Virements qui ne peuvent pas partir')}
        columns={columns}
        rows={blocked}
        rowKey={(transfer) => transfer.id}
        pageSize={10}
        empty={null}
      />
      {lifted && (
        <LiftDialog
          id={lifted.id}
          name={lifted.clientName}
          isRefused={lifted.obstacle.mend === 'refused'}
          description={t(lifted.obstacle.reason)}
          onClose={() => setLifted(undefined)}
        />
      )}
    </Card>
  );
}

function LiftButton({ transfer, label, onClick }: { transfer: Blocked; label: string; onClick: () => void }) {
  const { t } = useTranslation();
  return (
    <Button size="sm" aria-label={t('{{label}} : {{name}}', { label, name: transfer.clientName })} onClick={onClick}>
      {label}
    </Button>
  );
}

/** The place where an obstacle is removed: of what a month lacks, its commercial's record. */
function placeOf(mend: Exclude<TransferObstacle['mend'], 'wait'>, { month }: Blocked) {
  if (mend === 'refused') return month === null ? ways.request : ways.commercial;
  return ways[mend === 'payee' && month !== null ? 'commercial' : mend];
}

/** Links to the place where each obstacle is removed. */
const ways = {
  request: { label: 'Voir la demande', section: 'demandes-de-paiement', record: 'demande' },
  account: { label: 'Voir son compte', section: 'controle-des-comptes', record: 'personne' },
  commercial: { label: 'Voir sa fiche', section: 'commerciaux', record: 'commercial' },
  payee: { label: 'Compléter sa fiche', section: 'clients', record: 'client' },
} as const;
