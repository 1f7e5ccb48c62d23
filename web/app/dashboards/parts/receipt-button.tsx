import { FileText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { downloadReceipt } from '#api/payments/debt-acts';
import { Button } from '#ui/button';
import { useDownload } from './use-download.ts';

/** AC-05: the receipt of a debt that was paid back. */
export function ReceiptButton({ actId, of }: { actId: string; of: string }) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  return (
    <Button
      size="sm"
      icon={<FileText aria-hidden />}
      pending={pending !== undefined}
      aria-label={t('Reçu du remboursement du {{day}}', { day: of })}
      onClick={() => void start(actId, (signal) => downloadReceipt(actId, signal))}
    >
      {t('Reçu')}
    </Button>
  );
}
