import { doubtDecisionReasonRequired, doubtfulCaseDecided, type DoubtDecision } from '@parrain/domain/doubt';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { decideDoubtfulCase, type DoubtfulCase } from '#api/company/doubtful-cases';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Checkbox } from '#ui/checkbox';
import { useToast } from '#ui/toast';
import { ReasonDialog } from '../parts/reason-dialog.tsx';

export const decisionLabels: Readonly<Record<DoubtDecision, string>> = {
  cleared: 'Rien à signaler',
  confirmed: 'C’est une fraude',
};

/** FD-01: the decision on a case, with its reason. */
export function CaseDialog({
  seen,
  decision,
  onClose,
}: {
  seen: DoubtfulCase;
  decision: DoubtDecision;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const toast = useToast();
  const [isPairCleared, setPairCleared] = useState(false);
  const people = [...new Set(seen.reasons.flatMap(({ person }) => person?.name ?? []))].join(', ');
  const isCleared = decision === 'cleared';
  const deciding = useMutation({
    mutationFn: (reason: string) => decideDoubtfulCase(seen, { decision, reason, isPairCleared }),
    onSuccess: () => {
      toast.success(t(doubtfulCaseDecided));
      onClose();
    },
    // The screen may be stale: it is read again behind the refusal.
    onError: refresh,
  });
  return (
    <ReasonDialog
      title={isCleared ? t('Rien à signaler ?') : t('Confirmer ce doute ?')}
      description={
        isCleared
          ? t('Le cas est classé. {{name}} n’en apprend rien.', { name: seen.payee.name })
          : t(
              'Le cas reste dans la liste. Rien d’autre ne change : la suite vous appartient. {{name}} n’en apprend rien.',
              {
                name: seen.payee.name,
              },
            )
      }
      reasonLabel={t('Raison de la décision')}
      hint={t('Gardée dans l’historique, que seuls les administrateurs lisent.')}
      requiredMessage={doubtDecisionReasonRequired}
      confirmLabel={t(decisionLabels[decision])}
      pending={deciding.isPending}
      error={deciding.isError ? messageOf(deciding.error, t('La décision n’a pas pu être enregistrée.')) : undefined}
      onConfirm={(reason) => deciding.mutate(reason)}
      onClose={onClose}
    >
      {isCleared && people !== '' && (
        <Checkbox
          label={t('Ne plus signaler pour ces personnes')}
          description={t('{{one}} et {{others}} : les mêmes règles ne diront plus rien d’eux.', {
            one: seen.payee.name,
            others: people,
          })}
          checked={isPairCleared}
          onChange={(event) => setPairCleared(event.target.checked)}
        />
      )}
    </ReasonDialog>
  );
}
