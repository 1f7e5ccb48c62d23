import { useTranslation } from 'react-i18next';
import type { ClientCards } from '#api/payments/client-figures';
import { isView } from '#api/transport/client';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { SplitBar, type SplitPart } from '#ui/charts/split-bar';
import { lazyPart } from '#ui/lazy-part';
import { Skeleton } from '#ui/skeleton';
import { runAction } from '../../shell/run-action.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { clientActions } from '../actions.tsx';
import { balanceOf, BalanceExplain } from '../balance-explain.tsx';
import { useMayAsk } from './may-ask.ts';
import { MoneySteps } from './money-steps.tsx';

// Lazy: the amounts come first. Its line is kept free.
const Reward = lazyPart(() => import('./reward.tsx'), '\u00a0');
const ShareLink = lazyPart(() => import('../mes-parrainages/share-link.tsx'));

interface WalletProps {
  /** Undefined while they are read. */
  cards: ClientCards | undefined;
  openedAt: Date;
  openSection: SectionProps['openSection'];
}

/** The client's money, first (UI-02): what is available with « Recevoir mon argent », where the rest is, and what a friend gives. */
export function Wallet({ cards, openedAt, openSection }: WalletProps) {
  const { t } = useTranslation();
  return (
    <Card className="mb-4 overflow-hidden" aria-label={t('Mon argent')}>
      <SplitBar parts={cards ? wayOf(cards) : []} />
      <div className="grid gap-x-8 gap-y-3 p-4 sm:p-5 lg:grid-cols-[minmax(17rem,2fr)_3fr] xl:grid-cols-[minmax(27rem,2fr)_3fr]">
        {cards ? (
          <>
            <Available cards={cards} openedAt={openedAt} openSection={openSection} />
            <MoneySteps
              cards={cards}
              onRequests={() => openSection('demandes-de-paiement')}
              onEarned={() => openSection('mes-commissions')}
              onStatement={() => openSection('mes-commissions', { vue: 'releve' })}
            />
          </>
        ) : (
          <Skeleton className="col-span-full h-19 max-lg:h-40" />
        )}
      </div>
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-hairline px-4 py-2.5 text-sm text-encre-soft sm:px-5">
        <p>
          <Reward />
        </p>
        <ShareLink />
      </div>
    </Card>
  );
}

function Available({ cards, openedAt, openSection }: WalletProps & { cards: ClientCards }) {
  const { t } = useTranslation();
  const { mayAsk, obstacle } = useMayAsk(cards, openedAt);
  const balance = balanceOf(cards);
  const note = obstacle ?? (balance === 0n ? t('Vos prochaines commissions apparaîtront ici.') : null);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 lg:border-r lg:border-hairline lg:pr-8">
      <dl>
        <dt className="flex items-center gap-x-2 text-sm text-encre-soft">
          {balance < 0n ? t('À rembourser') : t('Disponible')}
          <BalanceExplain cards={cards} />
        </dt>
        <dd className="tabular-digits font-heading text-2xl font-semibold tracking-tight text-sapin">
          <Amount cents={balance < 0n ? -balance : balance} className={balance < 0n ? 'text-danger' : undefined} />
        </dd>
      </dl>
      {mayAsk && !isView && (
        <Button variant="primary" onClick={() => runAction(clientActions.askPayment, openSection)}>
          {t('Recevoir mon argent')}
        </Button>
      )}
      {note !== null && <p className="basis-full text-sm text-encre-soft">{note}</p>}
    </div>
  );
}

/** The way of the money: to come, available, on its way, received. */
function wayOf(cards: ClientCards): readonly SplitPart[] {
  return [
    { value: cards.held, color: 'bg-amber' },
    { value: cards.available, color: 'bg-sapin' },
    { value: cards.requestsInProgress, color: 'bg-blue' },
    { value: cards.paymentsReceived, color: 'bg-encre-faint' },
  ];
}
