import { rulesAccepted } from '@parrain/domain/forms/programme-rules';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { acceptRules, rulesQuery } from '#api/company/programme-rules';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';

/** CS-05: the rules in force, to be read and accepted. */
export default function RulesDialog({ onLater }: { onLater: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const rules = useQuery(rulesQuery);
  const acceptance = useMutation({
    mutationFn: acceptRules,
    onSuccess: () => toast.success(t(rulesAccepted)),
    // Another version may have come: it is read behind the refusal.
    onError: () => void rules.refetch(),
  });
  const { data } = rules;
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onLater()}
      title={t('Règles du programme')}
      description={
        data && (
          <>
            {t('Version {{version}}, du', { version: data.version })} <DateText value={data.publishedAt} />
            {t('. Votre accord est gardé avec sa date et ce texte.')}
          </>
        )
      }
      footer={
        data && (
          <>
            <Button onClick={onLater} disabled={acceptance.isPending}>
              {t('Plus tard')}
            </Button>
            <Button variant="primary" pending={acceptance.isPending} onClick={() => acceptance.mutate(data.version)}>
              {t('J’accepte ces règles')}
            </Button>
          </>
        )
      }
    >
      {acceptance.isError && (
        <Notice tone="error" className="mb-4">
          {messageOf(acceptance.error, t('Votre accord n’a pas pu être enregistré. Réessayez.'))}
        </Notice>
      )}
      {data ? (
        <p className="wrap-anywhere whitespace-pre-line">{data.body}</p>
      ) : rules.isError ? (
        <ErrorState onRetry={() => void rules.refetch()} pending={rules.isFetching} />
      ) : (
        <Skeleton className="h-60 w-full" />
      )}
    </Dialog>
  );
}
