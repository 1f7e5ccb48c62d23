import { saleChoiceLabels, type SaleChoice } from '@parrain/domain/sale';
import { PhoneMissed } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';

interface NoAnswerProps {
  isChosen: boolean;
  /** The referral's own, which stays. */
  status: SaleChoice;
  onChoose: (isChosen: boolean) => void;
}

/** « Pas de réponse », after a call: the status stays, and the day to call back is tomorrow (UI-06). */
export function NoAnswer({ isChosen, status, onChoose }: NoAnswerProps) {
  const { t } = useTranslation();
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        aria-pressed={isChosen}
        icon={<PhoneMissed aria-hidden />}
        className="max-sm:h-11 max-sm:w-full aria-pressed:border-sapin aria-pressed:bg-sapin-tint"
        onClick={() => onChoose(!isChosen)}
      >
        {t('Pas de réponse')}
      </Button>
      <p role="status" className="text-sm text-encre-soft">
        {isChosen && t('Le statut reste « {{status}} » ; à relancer demain.', { status: t(saleChoiceLabels[status]) })}
      </p>
    </div>
  );
}
