import type { FirstStep } from '@parrain/domain/first-steps';
import { useMutation } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { skipFirstStep } from '#api/company/first-steps';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { useToast } from '#ui/toast';

interface StepFootProps {
  step: FirstStep;
  isSkipped: boolean;
  /** In place of « Plus tard », where going on is all that the step offers: then it has the green button. */
  laterWord: string | undefined;
  onLater: () => void;
  onBack: (() => void) | undefined;
  /** The step's own button. */
  children: ReactNode;
}

/** The foot of a step: its own button, « Plus tard », which is kept for the company, and the way back. */
export function StepFoot({ step, isSkipped, laterWord, onLater, onBack, children }: StepFootProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const skip = useMutation({
    mutationFn: () => skipFirstStep(step, true),
    onSuccess: onLater,
    onError: (error) => toast.error(messageOf(error, t('L’étape n’a pas pu être enregistrée. Réessayez.'))),
  });
  return (
    <div className="mt-1 flex flex-wrap items-center gap-2 border-t border-hairline pt-5">
      {children}
      <Button
        variant={laterWord === undefined ? 'quiet' : 'primary'}
        pending={skip.isPending}
        onClick={() => (isSkipped ? onLater() : skip.mutate())}
      >
        {laterWord ?? t('Plus tard')}
      </Button>
      {onBack && <BackButton onBack={onBack} />}
    </div>
  );
}

/** The way to the step before. */
export function BackButton({ onBack }: { onBack: () => void }) {
  const { t } = useTranslation();
  return (
    <Button variant="quiet" icon={<ArrowLeft />} className="ml-auto" onClick={onBack}>
      {t('Retour')}
    </Button>
  );
}
