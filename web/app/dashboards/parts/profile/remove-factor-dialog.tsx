import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/api-error';
import { confirmSecurityKey, confirmTotp, removeSecondFactor, type SecondFactor } from '#api/second-factors';
import { CodeInput } from '#ui/code-input';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';

export interface RemoveFactorDialogProps {
  factor: SecondFactor;
  factors: readonly SecondFactor[];
  onClose: () => void;
  onDone: () => void;
}

/** Whoever sits at a screen left open takes no protection away: the removal is confirmed by a second step. */
export function RemoveFactorDialog({ factor, factors, onClose, onDone }: RemoveFactorDialogProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  // Any of them proves who asks: the phone that still works, of the two.
  const proof = factors.find((other) => other.kind === 'totp') ?? factor;
  const asksCode = proof.kind === 'totp';
  const removal = useMutation({
    mutationFn: async () => {
      if (asksCode) await confirmTotp(proof.id, code);
      else await confirmSecurityKey(proof.id);
      await removeSecondFactor(factor.id);
    },
    onSuccess: onDone,
    onError: () => setCode(''),
  });
  const isLast = factors.length === 1;
  const name = factor.name || t('cette deuxième étape');
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Retirer {{name}} ?', { name })}
      description={
        isLast
          ? t('C’est votre seule deuxième étape : votre mot de passe suffira de nouveau pour ouvrir votre compte.')
          : t('Elle ne vous sera plus demandée à la connexion. Vos autres moyens restent en place.')
      }
      confirmLabel={t('Retirer')}
      pending={removal.isPending}
      confirmDisabled={asksCode && code.length < 6}
      error={removal.isError ? messageOf(removal.error, t('Le retrait n’a pas abouti. Réessayez.')) : undefined}
      onConfirm={() => removal.mutate()}
    >
      {asksCode ? (
        <form
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (code.length === 6) removal.mutate();
          }}
        >
          <Field
            label={t('Code à 6 chiffres de « {{name}} »', { name: proof.name || t('votre application') })}
            hint={t('Pour confirmer que c’est bien vous.')}
          >
            <CodeInput value={code} onValueChange={setCode} />
          </Field>
        </form>
      ) : (
        <p className="text-sm text-encre-soft">{t('Votre navigateur vous demandera votre clé pour confirmer.')}</p>
      )}
    </ConfirmDialog>
  );
}
