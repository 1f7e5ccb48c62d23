import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { batchFile } from '#api/payments/batch-acts';
import { messageOf } from '#api/transport/api-error';
import { useToast } from '#ui/toast';
import { saveFile } from '../../parts/save-file.ts';

/** Downloads the bank's file of a batch that is released (PO-01). */
export function useBatchFile() {
  const { t } = useTranslation();
  const toast = useToast();
  return useMutation({
    mutationFn: batchFile,
    onSuccess: (file) => {
      saveFile(file);
      toast.success(t('Fichier téléchargé'), { description: file.name });
    },
    onError: (error) => toast.error(t('Le fichier n’a pas pu être lu'), { description: messageOf(error, '') }),
  });
}
