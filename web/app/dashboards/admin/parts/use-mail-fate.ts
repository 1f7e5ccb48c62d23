import { useTranslation } from 'react-i18next';
import type { MailFate } from '#api/company/system-state';
import { messageOf } from '#api/transport/api-error';
import { useToast } from '#ui/toast';

/** Says what became of a mail that was just sent, in the mail server's own terms where it refused. */
export function useMailFate() {
  const { t } = useTranslation();
  const toast = useToast();
  const tell = ({ fate, message, error }: { fate: MailFate; message: string; error?: string | null }) => {
    if (fate === 'accepted') toast.success(message);
    else if (fate === 'under_way' && !error) toast.info(message);
    else toast.error(message);
  };
  return Object.assign(tell, {
    failed: (error: unknown) => toast.error(messageOf(error, t('Le message n’a pas pu être envoyé. Réessayez.'))),
  });
}
