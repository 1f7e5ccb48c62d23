import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { Notice } from '#ui/notice';

/** The secret that a webhook signs with, once. */
export default function WebhookSecret({ secret, onClose }: { secret: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Le secret de ce webhook')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('C’est copié')}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Notice tone="warning" title={t('Copiez-le maintenant : il ne s’affichera plus.')}>
          {t('L’autre logiciel s’en sert pour vérifier que chaque message vient bien de Parrain (Standard Webhooks).')}
        </Notice>
        <code className="rounded-field border border-hairline bg-papier p-3 text-sm break-all select-all">
          {secret}
        </code>
        <div>
          <CopyButton text={secret} label={t('Copier le secret')} />
        </div>
      </div>
    </Dialog>
  );
}
