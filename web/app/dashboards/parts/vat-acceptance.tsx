import { vatAccepted } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { BadgeCheck } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { acceptVat } from '#api/payments/papers';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** DF-23: the VAT that a payee declares is paid once an admin has accepted it. */
export default function VatAcceptance({ payeeId, vatNumber }: { payeeId: string; vatNumber: string }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [isAsked, setAsked] = useState(false);
  const accept = useMutation({
    mutationFn: () => acceptVat(payeeId, vatNumber),
    onSuccess: () => {
      setAsked(false);
      toast.success(t(vatAccepted));
    },
  });
  return (
    <Notice tone="warning" title={t('TVA déclarée, à accepter')} className="mt-3">
      <p>{t('Jusque-là, ses virements partent hors taxe.')}</p>
      <Button size="sm" className="mt-2" icon={<BadgeCheck aria-hidden />} onClick={() => setAsked(true)}>
        {t('Accepter la TVA')}
      </Button>
      {isAsked && (
        <ConfirmDialog
          open
          onOpenChange={() => setAsked(false)}
          tone="primary"
          title={t('Accepter la TVA {{number}} ?', { number: vatNumber })}
          description={t(
            'Ses factures, et avec un mandat d’autofacturation ce qui sera demandé ensuite, porteront la TVA en plus. Vérifiez que ce numéro est bien celui de ce bénéficiaire.',
          )}
          confirmLabel={t('Accepter la TVA')}
          pending={accept.isPending}
          error={accept.isError ? messageOf(accept.error, t('La TVA n’a pas pu être acceptée.')) : undefined}
          onConfirm={() => accept.mutate()}
        />
      )}
    </Notice>
  );
}
