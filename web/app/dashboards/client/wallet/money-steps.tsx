import clsx from 'clsx';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ClientCards } from '#api/payments/client-figures';
import { Amount } from '#ui/amount';
import { lazyPart } from '#ui/lazy-part';

// Lazy: the amounts come first.
const LeavingNote = lazyPart(async () => ({ default: (await import('./money-note.tsx')).LeavingNote }));
const KeptNote = lazyPart(async () => ({ default: (await import('./money-note.tsx')).KeptNote }));

export interface MoneyStepsProps {
  cards: ClientCards;
  onRequests: () => void;
  onEarned: () => void;
  onStatement: () => void;
}

/** Money that is not in hand (UI-02): on its way with its day, to come with the day it can be asked for, received, adjusted; each leads to its rows. */
export function MoneySteps({ cards, onRequests, onEarned, onStatement }: MoneyStepsProps) {
  const { t } = useTranslation();
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:auto-cols-fr sm:grid-flow-col">
      <Step
        label={t('En route')}
        dot="bg-blue"
        cents={cards.requestsInProgress}
        note={cards.requestsInProgress > 0n ? <LeavingNote /> : t('Rien de demandé')}
        onOpen={onRequests}
      />
      {cards.held > 0n && (
        <Step label={t('À venir')} dot="bg-amber" cents={cards.held} note={<KeptNote />} onOpen={onEarned} />
      )}
      <Step
        label={t('Reçu')}
        dot="bg-encre-faint"
        cents={cards.paymentsReceived}
        note={t('au total')}
        onOpen={onRequests}
      />
      {cards.adjusted !== 0n && (
        <Step
          label={t('Ajusté')}
          dot="bg-transparent"
          cents={cards.adjusted}
          note={t('par votre entreprise')}
          onOpen={onStatement}
        />
      )}
    </dl>
  );
}

interface StepProps {
  label: string;
  /** The colour of its part of the bar. */
  dot: string;
  cents: bigint;
  note: ReactNode;
  onOpen: () => void;
}

function Step({ label, dot, cents, note, onOpen }: StepProps) {
  return (
    <div className="min-w-0 max-sm:grid max-sm:grid-cols-[1fr_auto] max-sm:items-baseline max-sm:gap-x-4">
      <dt className="flex items-center gap-2 text-sm text-encre-soft">
        <span aria-hidden className={clsx('size-2 shrink-0 rounded-full forced-colors:border', dot)} />
        {label}
      </dt>
      <dd className="text-lg font-medium sm:mt-0.5">
        <button
          type="button"
          onClick={onOpen}
          className="tap-target rounded-field text-left underline decoration-hairline underline-offset-4 hover:decoration-current"
        >
          <span className="sr-only">{label} : </span>
          <Amount cents={cents} />
        </button>
      </dd>
      <dd className="min-h-[1lh] text-sm text-encre-faint max-sm:col-span-2 max-sm:-mt-0.5 max-sm:pl-4">{note}</dd>
    </div>
  );
}
