import { ArrowRight, BadgeCheck, CircleCheck, HandCoins, Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { groupThousands } from '@parrain/domain/money';
import type { AdminCards } from '#api/company/admin-figures';
import { Card, CardHeader } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';
import type { SectionProps } from '../../shell/sections.ts';

export interface ToDoProps {
  figures: { data: AdminCards | undefined; isError: boolean; isFetching: boolean; refetch: () => unknown };
  openSection: SectionProps['openSection'];
}

/** « À faire »: how many decisions wait, each leading to its list. */
export function ToDo({ figures, openSection }: ToDoProps) {
  const { t } = useTranslation();
  const { data } = figures;
  const total = data ? data.salesToValidateCount + data.requestsToDecideCount + data.requestsToPayCount : undefined;
  return (
    <Card className="overflow-clip">
      <CardHeader
        title={t('À faire')}
        description={total === 0 ? t('Tout est à jour : aucune décision ne vous attend.') : undefined}
        level={3}
      />
      {figures.isError && data === undefined ? (
        <ErrorState onRetry={() => void figures.refetch()} pending={figures.isFetching} />
      ) : (
        <ul className="divide-y divide-hairline">
          <Line
            count={data?.salesToValidateCount}
            icon={<BadgeCheck aria-hidden />}
            one={t('contrat à valider')}
            many={t('contrats à valider')}
            action={t('Valider')}
            onOpen={() => openSection('validations')}
          />
          <Line
            count={data?.requestsToDecideCount}
            icon={<Inbox aria-hidden />}
            one={t('demande de paiement à traiter')}
            many={t('demandes de paiement à traiter')}
            action={t('Traiter')}
            onOpen={() => openSection('demandes-de-paiement', { statut: 'pending' })}
          />
          <Line
            count={data?.requestsToPayCount}
            icon={<HandCoins aria-hidden />}
            one={t('demande approuvée à payer')}
            many={t('demandes approuvées à payer')}
            action={t('Payer')}
            onOpen={() => openSection('demandes-de-paiement', { statut: 'approved' })}
          />
        </ul>
      )}
    </Card>
  );
}

interface LineProps {
  count: number | undefined;
  icon: ReactNode;
  one: string;
  many: string;
  action: string;
  onOpen: () => void;
}

function Line({ count, icon, one, many, action, onOpen }: LineProps) {
  if (count === undefined) {
    return (
      <li className="flex h-16 items-center px-5">
        <Skeleton className="h-5 w-56" />
      </li>
    );
  }
  const waits = count > 0;
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="group flex min-h-16 w-full items-center gap-4 px-5 py-3 text-left -outline-offset-2 transition-colors duration-120 hover:bg-papier"
      >
        <span aria-hidden className={waits ? 'text-corail [&_svg]:size-5' : 'text-encre-faint [&_svg]:size-5'}>
          {waits ? icon : <CircleCheck aria-hidden />}
        </span>
        <span className="flex min-w-0 flex-1 items-baseline gap-x-2.5">
          <span
            className={
              waits
                ? 'figures font-heading text-xl font-semibold'
                : 'figures font-heading text-xl font-semibold text-encre-faint'
            }
          >
            {groupThousands(String(count))}
          </span>{' '}
          <span className={waits ? 'min-w-0 text-encre' : 'min-w-0 text-encre-soft'}>{count > 1 ? many : one}</span>
        </span>
        {waits && (
          <span
            aria-hidden
            className="flex shrink-0 items-center gap-1.5 text-sm font-medium text-sapin group-hover:text-sapin-strong"
          >
            <span className="max-sm:sr-only">{action}</span>
            <ArrowRight className="size-4" />
          </span>
        )}
      </button>
    </li>
  );
}
