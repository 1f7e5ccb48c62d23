import { useMutation } from '@tanstack/react-query';
import { Download, FileText } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { readPersonalData } from '#api/account/personal-data';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { saveFile } from '../save-file.ts';

/** Everything the product holds of the person: as a file for machines (portability), and as a page to read (access). */
export function PersonalDataCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const download = useMutation({
    mutationFn: async (format: 'json' | 'html') => {
      const data = await readPersonalData(profile);
      const name = `parrain-donnees-${data.exported_at.slice(0, 10)}`;
      if (format === 'json')
        saveFile(new File([JSON.stringify(data, null, 2)], `${name}.json`, { type: 'application/json' }));
      else {
        const { personalDataPage } = await import('./personal-data-page.ts');
        const page = personalDataPage(data, profile.fullName);
        saveFile(new File([page], `${name}.html`, { type: 'text/html;charset=utf-8' }));
      }
    },
    onSuccess: () => toast.success(t('Vos données sont téléchargées')),
  });
  return (
    <Card>
      <CardHeader title={t('Vos données')} level={4} />
      <CardBody className="flex flex-col gap-4">
        {download.isError && (
          <Notice tone="error">{messageOf(download.error, t('Vos données n’ont pas pu être lues. Réessayez.'))}</Notice>
        )}
        <p className="text-encre-soft">
          {t(
            'Votre compte, ses connexions, vos parrainages, vos commissions et vos demandes : tout ce que nous savons de vous, à lire ou à emporter ailleurs.',
          )}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<Download aria-hidden />}
            pending={download.isPending && download.variables === 'json'}
            onClick={() => download.mutate('json')}
          >
            {t('Télécharger mes données')}
          </Button>
          <Button
            variant="quiet"
            icon={<FileText aria-hidden />}
            pending={download.isPending && download.variables === 'html'}
            onClick={() => download.mutate('html')}
          >
            {t('Version à lire')}
          </Button>
        </div>
      </CardBody>
    </Card>
  );
}
