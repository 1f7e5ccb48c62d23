import { controlWords } from '@parrain/domain/control';
import { formatDateTime } from '@parrain/domain/date';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { endControl, waitingControlsQuery, type WaitingControl } from '#api/company/controls';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** DF-24: the controls that somebody wants lifted, here as long as one waits. */
export function WaitingControls() {
  const { data: changes = [] } = useQuery(waitingControlsQuery);
  return changes.map((change) => <WaitingControlNotice key={change.id} change={change} />);
}

function WaitingControlNotice({ change }: { change: WaitingControl }) {
  const { t } = useTranslation();
  const toast = useToast();
  const end = useMutation({ mutationFn: endControl, onSuccess: () => toast.success(t(settingsSaved)) });
  const asked = t('{{name}} a demandé de {{change}}.', {
    name: change.askedBy ?? t('Un administrateur'),
    change: controlWords(change.control, change.value),
  });
  return (
    <Notice tone="warning" className="mb-5">
      <p>{asked}</p>
      <p>
        {change.isOwn
          ? t('Un autre administrateur peut le confirmer. Sinon, ce changement s’applique le {{due}}.', {
              due: formatDateTime(change.dueAt),
            })
          : t('Confirmez-le ou retirez-le. Sinon, ce changement s’applique le {{due}}.', {
              due: formatDateTime(change.dueAt),
            })}
      </p>
      {end.isError && <p role="alert">{messageOf(end.error, t('Le réglage n’a pas pu être enregistré.'))}</p>}
      <div className="mt-3 flex flex-wrap gap-2">
        {!change.isOwn && (
          <Button
            size="sm"
            variant="primary"
            pending={end.isPending}
            onClick={() => end.mutate({ id: change.id, isConfirmed: true })}
          >
            {t('Confirmer le changement')}
          </Button>
        )}
        <Button size="sm" disabled={end.isPending} onClick={() => end.mutate({ id: change.id, isConfirmed: false })}>
          {t('Retirer la demande')}
        </Button>
      </div>
    </Notice>
  );
}
