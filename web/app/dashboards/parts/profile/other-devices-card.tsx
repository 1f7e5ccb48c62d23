import { useMutation } from '@tanstack/react-query';
import { MonitorOff } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/api-error';
import { signOutOthers } from '#api/sign-out-others';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** Ends every session but this one: a phone that was lost, a computer that was lent. */
export function OtherDevicesCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const ending = useMutation({
    mutationFn: signOutOthers,
    onSuccess: () => toast.success(t('Vos autres appareils sont déconnectés')),
  });
  return (
    <Card>
      <CardHeader title={t('Autres appareils')} level={3} />
      <CardBody className="flex flex-col gap-4">
        {ending.isError && (
          <Notice tone="error">
            {messageOf(ending.error, t('Les autres appareils n’ont pas pu être déconnectés. Réessayez.'))}
          </Notice>
        )}
        <p className="text-encre-soft">
          {t('Téléphone perdu, ordinateur prêté ? Vous resterez connecté ici, et nulle part ailleurs.')}
        </p>
        <Button
          icon={<MonitorOff aria-hidden />}
          pending={ending.isPending}
          onClick={() => ending.mutate()}
          className="self-start"
        >
          {t('Déconnecter les autres appareils')}
        </Button>
      </CardBody>
    </Card>
  );
}
