import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { spendRecoveryCode } from '#api/account/recovery-codes';
import {
  confirmPhone,
  confirmSecurityKey,
  confirmTotp,
  removeSecondFactor,
  sendPhoneCode,
  type SecondFactor,
} from '#api/account/second-factors';
import { Button } from '#ui/button';
import { CodeInput } from '#ui/code-input';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

export interface RemoveFactorDialogProps {
  factor: SecondFactor;
  /** The second steps there are, this one among them. */
  steps: readonly SecondFactor[];
  hasRecoveryCodes: boolean;
  onClose: () => void;
  onDone: () => void;
}

/** A screen left open must not let anybody take the protection away: a second step confirms the removal. */
export function RemoveFactorDialog({ factor, steps, hasRecoveryCodes, onClose, onDone }: RemoveFactorDialogProps) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const [isLost, setLost] = useState(false);
  // Any of them proves who asks: the phone that still works, of the two.
  const proof = steps.find((other) => other.kind === 'totp') ?? factor;
  // A telephone is asked first to show the code.
  const [challengeId, setChallengeId] = useState<string>();
  const isTextDue = !isLost && proof.kind === 'phone' && challengeId === undefined;
  const asksCode = isLost || proof.kind === 'totp' || (proof.kind === 'phone' && !isTextDue);
  const isCodeThere = isLost ? code.trim() !== '' : code.length === 6;
  const removal = useMutation({
    mutationFn: async () => {
      if (isTextDue) {
        setChallengeId(await sendPhoneCode(proof.id));
        return false;
      }
      if (isLost) await spendRecoveryCode(code);
      else if (challengeId !== undefined) await confirmPhone(proof.id, challengeId, code);
      else if (proof.kind === 'totp') await confirmTotp(proof.id, code);
      else if (proof.kind === 'webauthn') await confirmSecurityKey(proof.id);
      await removeSecondFactor(factor.id);
      return true;
    },
    onSuccess: (isRemoved) => {
      if (isRemoved) onDone();
    },
    onError: () => setCode(''),
  });
  const name = factor.name === '' ? t('cette deuxième étape') : `«\u00a0${factor.name}\u00a0»`;
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Retirer {{name}} ?', { name })}
      description={
        steps.length === 1
          ? t('C’est votre seule deuxième étape : votre mot de passe suffira de nouveau pour ouvrir votre compte.')
          : t('Elle ne vous sera plus demandée à la connexion. Vos autres moyens restent en place.')
      }
      confirmLabel={isTextDue ? t('Recevoir un code par SMS') : t('Retirer')}
      pending={removal.isPending}
      confirmDisabled={asksCode && !isCodeThere}
      error={removal.isError ? messageOf(removal.error, t('Le retrait n’a pas abouti. Réessayez.')) : undefined}
      onConfirm={() => removal.mutate()}
    >
      {asksCode ? (
        <form
          method="post"
          noValidate
          className="flex flex-col items-start gap-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (isCodeThere) removal.mutate();
          }}
        >
          {isLost ? (
            <Field className="w-full" label={t('Code de secours')} hint={t('Il ne sert qu’une fois.')}>
              <TextInput
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                className="font-mono"
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            </Field>
          ) : (
            <Field
              label={t('Code à 6 chiffres de « {{name}} »', { name: proof.name || t('votre application') })}
              hint={t('Pour confirmer que c’est bien vous.')}
            >
              <CodeInput value={code} onValueChange={setCode} />
            </Field>
          )}
          {hasRecoveryCodes && !isLost && (
            <Button
              size="sm"
              variant="quiet"
              className="-ml-3"
              onClick={() => {
                setLost(true);
                setCode('');
              }}
            >
              {t('Utiliser un code de secours')}
            </Button>
          )}
        </form>
      ) : (
        proof.kind === 'webauthn' && (
          <p className="text-sm text-encre-soft">{t('Votre navigateur vous demandera votre clé pour confirmer.')}</p>
        )
      )}
    </ConfirmDialog>
  );
}
