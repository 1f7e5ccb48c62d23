import {
  openStatuses,
  saleChoiceLabels,
  type SaleAudience,
  type SaleFacts,
  type SaleState,
  type SaleStatus as StoredStatus,
} from '@parrain/domain/sale';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { PersonState } from '#api/people/person';
import { Amount } from '#ui/amount';
import { countText } from '../count-text.ts';
import { SaleStatus } from '../sale-status.tsx';

export interface PersonStatesProps {
  states: readonly PersonState[];
  audience: Exclude<SaleAudience, 'client'>;
  /** Leads to these referrals' own list. */
  link?: ReactNode;
}

/** Number of a person's referrals in each state, and their amount, in the words of the lists of who looks at it. */
export function PersonStates({ states, audience, link }: PersonStatesProps) {
  const { t } = useTranslation();
  const total = states.reduce((sum, { state, count }) => sum + (state === 'correction' ? 0 : count), 0);
  return (
    <section aria-label={t('Parrainages')}>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 className="text-lg">{t('Parrainages')}</h3>
        {total > 0 && link}
      </div>
      {states.length === 0 ? (
        <p className="text-encre-soft">{t('Aucun parrainage pour le moment.')}</p>
      ) : (
        <>
          <ul className="divide-y divide-hairline rounded-field border border-hairline">
            {shownTo(audience, states).map(({ state, count, amount }) => (
              <li
                key={state}
                className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-3.5 py-2.5 sm:grid-cols-[minmax(0,1fr)_3rem_8rem]"
              >
                <span className="min-w-0">
                  <SaleStatus sale={{ ...facts[state], rejectionReason: null }} audience={audience} />
                  {audience === 'admin' && state === 'pending' && <Steps states={states} />}
                </span>
                <span className="tabular-digits text-right">{count.toLocaleString('fr-FR')}</span>
                <span className="text-right max-sm:col-span-2">
                  {amount === 0n ? <span className="text-encre-faint">—</span> : <Amount cents={amount} />}
                </span>
              </li>
            ))}
          </ul>
          <p className="mt-2 text-sm text-encre-faint">
            {countText(total, t('parrainage en tout'), t('parrainages en tout'))}
          </p>
        </>
      )}
    </section>
  );
}

/** S-05: to the admin all that is open is « En attente ». */
function shownTo(audience: PersonStatesProps['audience'], states: readonly PersonState[]): readonly PersonState[] {
  const waiting = states.filter(({ state }) => open.has(state));
  if (audience !== 'admin' || waiting.length === 0) return states;
  const one = waiting.reduce((sum, { count, amount }) => ({
    state: 'pending',
    count: sum.count + count,
    amount: sum.amount + amount,
  }));
  return [{ ...one, state: 'pending' }, ...states.filter(({ state }) => !open.has(state))];
}

/** Progress of the open ones, where somebody was reached. */
function Steps({ states }: { states: readonly PersonState[] }) {
  const { t } = useTranslation();
  const reached = (['contacted', 'in_negotiation'] as const).flatMap((step) => {
    const found = states.find(({ state }) => state === step);
    return found === undefined ? [] : [`${t(saleChoiceLabels[step])} : ${found.count.toLocaleString('fr-FR')}`];
  });
  return reached.length > 0 && <span className="mt-0.5 block text-xs text-encre-soft">{reached.join(' · ')}</span>;
}

const open: ReadonlySet<SaleState> = new Set(openStatuses);

const factsOf = (status: StoredStatus, readyForValidation = false, adminValidated = false): SaleFacts => ({
  status,
  readyForValidation,
  adminValidated,
  correctsSaleId: null,
});
const facts: Readonly<Record<SaleState, SaleFacts>> = {
  pending: factsOf('pending'),
  contacted: factsOf('contacted'),
  in_negotiation: factsOf('in_negotiation'),
  awaiting_final_validation: factsOf('pending', true),
  awaiting_admin_validation: factsOf('validated', true),
  validated: factsOf('validated', true, true),
  rejected: factsOf('rejected'),
  correction: { ...factsOf('validated', true, true), correctsSaleId: '' },
};
