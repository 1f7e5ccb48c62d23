import { saleChoiceLabels, saleChoices } from '@parrain/domain/sale';
import { useTranslation } from 'react-i18next';
import type { ReferralFilter } from '#api/sales/received-referrals';
import type { ReferralCounts } from '#api/sales/referral-counts';
import { FilterChips } from '#ui/filter-chips';

interface ReferralChipsProps {
  /** Undefined until it is known which list opens. */
  choice: ReferralFilter | undefined;
  counts: ReferralCounts | undefined;
  /** The company has no days after which a referral is late: nothing is. */
  hasLate: boolean;
  onChoose: (choice: ReferralFilter) => void;
}

/** Those to act on today first, then all, then by status (UI-06). */
export function ReferralChips({ choice, counts, hasLate, onChoose }: ReferralChipsProps) {
  const { t } = useTranslation();
  return (
    <FilterChips<ReferralFilter>
      label={t('Filtrer par statut')}
      value={choice}
      onValueChange={onChoose}
      options={[
        { value: 'today', label: t('Aujourd’hui'), count: counts?.today },
        { value: 'all', label: t('Tous'), count: counts?.all },
        { value: 'call_back', label: t('À relancer'), count: counts?.callBack },
        ...(hasLate ? [{ value: 'late' as const, label: t('En retard'), count: counts?.late }] : []),
        ...saleChoices.map((value) => ({ value, label: t(saleChoiceLabels[value]) })),
      ]}
    />
  );
}
