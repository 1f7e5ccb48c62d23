import { useMutation, useQuery } from '@tanstack/react-query';
import { Download, LifeBuoy } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { queryClient } from '#api/transport/query-client';
import { makeRecoveryCodes, remainingRecoveryCodes } from '#api/account/recovery-codes';
import { secondFactorsQuery } from '#api/account/second-factors';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { Notice } from '#ui/notice';
import { countText } from '../count-text.ts';
import { Line } from './line.tsx';

/** « Codes de secours »: ten codes on paper for the day the phone is lost; beside a second step, never alone. */
export function RecoveryCodes({ areThere }: { areThere: boolean }) {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const { data: remaining } = useQuery({
    queryKey: ['recovery-codes'],
    queryFn: remainingRecoveryCodes,
    enabled: areThere,
  });
  const making = useMutation({
    mutationFn: () => makeRecoveryCodes(areThere),
    onSuccess: (made) => {
      setAsking(false);
      setCodes(made);
      void queryClient.invalidateQueries({ queryKey: secondFactorsQuery.queryKey });
      void queryClient.invalidateQueries({ queryKey: ['recovery-codes'] });
    },
  });
  const failure = making.isError
    ? messageOf(making.error, t('Les codes n’ont pas pu être créés. Réessayez.'))
    : undefined;
  return (
    <>
      <Line
        icon={<LifeBuoy />}
        title={t('Codes de secours')}
        detail={
          failure && !isAsking ? (
            <span role="alert" className="text-danger">
              {failure}
            </span>
          ) : areThere ? (
            remaining !== undefined && countText(remaining, t('code encore valable'), t('codes encore valables'))
          ) : (
            t('Dix codes à imprimer, pour le jour où le téléphone est perdu.')
          )
        }
        actions={
          <Button
            size="sm"
            pending={making.isPending && !isAsking}
            onClick={() => (areThere ? setAsking(true) : making.mutate())}
          >
            {areThere ? t('Renouveler') : t('Créer')}
            <span className="sr-only"> {t('les codes de secours')}</span>
          </Button>
        }
      />
      {isAsking && (
        <ConfirmDialog
          open
          onOpenChange={setAsking}
          title={t('Renouveler les codes de secours ?')}
          description={t('Les codes que vous avez gardés ne vaudront plus rien.')}
          confirmLabel={t('Renouveler')}
          tone="primary"
          pending={making.isPending}
          error={failure}
          onConfirm={() => making.mutate()}
        />
      )}
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </>
  );
}

function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Vos codes de secours')}
      description={t('Chacun remplace une fois votre deuxième étape. Imprimez-les ou gardez-les à l’abri.')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('Je les ai gardés')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warning">{t('Ils ne seront plus jamais affichés.')}</Notice>
        <ol className="grid grid-cols-1 gap-x-6 gap-y-1.5 rounded-field border border-hairline bg-papier p-4 font-mono text-sm sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code} className="whitespace-nowrap select-all">
              {inFours(code)}
            </li>
          ))}
        </ol>
        <div className="flex flex-wrap gap-2">
          <CopyButton
            text={codes.map(inFours).join('\n')}
            label={t('Copier les codes')}
            copiedLabel={t('Codes copiés')}
          />
          <Button size="sm" icon={<Download aria-hidden />} onClick={() => save(codes.map(inFours).join('\r\n'))}>
            {t('Télécharger')}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function inFours(code: string): string {
  return code.match(/.{1,4}/gu)?.join('-') ?? code;
}

function save(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'parrain-codes-de-secours.txt';
  link.click();
  URL.revokeObjectURL(address);
}
