import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/api-error';
import { readPersonalData } from '#api/personal-data';
import { useProfile } from '#api/session';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** Everything the product holds of the person and lets them read, as one JSON file. */
export function PersonalDataCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const download = useMutation({
    mutationFn: () => readPersonalData(profile),
    onSuccess: (data) => {
      save(`parrain-donnees-${data.exported_at.slice(0, 10)}.json`, JSON.stringify(data, null, 2));
      toast.success(t('Vos données sont téléchargées'));
    },
  });
  return (
    <Card>
      <CardHeader title={t('Vos données')} level={3} />
      <CardBody className="flex flex-col gap-4">
        {download.isError && (
          <Notice tone="error">{messageOf(download.error, t('Vos données n’ont pas pu être lues. Réessayez.'))}</Notice>
        )}
        <p className="text-encre-soft">
          {t('Votre compte, vos parrainages, vos commissions et vos demandes, dans un fichier JSON que vous gardez.')}
        </p>
        <Button
          icon={<Download aria-hidden />}
          pending={download.isPending}
          onClick={() => download.mutate()}
          className="self-start"
        >
          {t('Télécharger mes données')}
        </Button>
      </CardBody>
    </Card>
  );
}

function save(fileName: string, content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
