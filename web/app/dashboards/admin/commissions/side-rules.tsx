import type { CommissionType } from '@parrain/domain/commission';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import { Skeleton } from '#ui/skeleton';
import { hasRules, type RulesDraft } from './rules-draft.ts';

const RulesFields = lazyPart(() => import('./rules-fields.tsx'), <Skeleton className="h-24 w-full" />);

interface SideRulesProps {
  /** « Commission du client parrain ». */
  legend: string;
  type: CommissionType;
  value: RulesDraft;
  onChange: (draft: RulesDraft) => void;
  wasSent: boolean;
}

/** Rules beyond a rate or an amount: they open on demand, and stay open, for most scales have none (SC-02). */
export function SideRules(props: SideRulesProps) {
  const { t } = useTranslation();
  const { legend, value } = props;
  const [asked, setAsked] = useState(false);
  if (asked || hasRules(value)) return <RulesFields {...props} isAsked={asked} />;
  return (
    <Button
      size="sm"
      variant="quiet"
      icon={<ChevronDown aria-hidden />}
      className="self-start"
      aria-expanded={false}
      aria-label={t('Paliers, plafonds, prime : {{side}}', { side: legend })}
      onPointerEnter={() => void RulesFields.load()}
      onFocus={() => void RulesFields.load()}
      onClick={() => setAsked(true)}
    >
      {t('Paliers, plafonds, prime…')}
    </Button>
  );
}
