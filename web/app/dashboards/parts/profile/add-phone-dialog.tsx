import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { beginPhone, confirmPhone } from '#api/account/second-factors';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { CodeInput } from '#ui/code-input';
import { Dialog } from '#ui/dialog';
import { Field } from '#ui/field';
import { TextInput } from '#ui/text-input';

export interface AddPhoneDialogProps {
  /** Name of the phone afterwards; the account has no other of that name. */
  name: string;
  onClose: () => void;
  onDone: () => void;
}

/** Dialog that adds a phone for text messages (AU-17): the number first, then the code that it got. */
export function AddPhoneDialog({ name, onClose, onDone }: AddPhoneDialogProps) {
  const { t } = useTranslation();
  const [phone, setPhone] = useState(useProfile().phone ?? '');
  const [code, setCode] = useState('');
  const beginning = useMutation({ mutationFn: () => beginPhone(name, phone) });
  const confirmation = useMutation({
    mutationFn: async (figures: string) => {
      if (beginning.data) await confirmPhone(beginning.data.factorId, beginning.data.challengeId, figures);
    },
    onSuccess: onDone,
    onError: () => setCode(''),
  });
  const isSent = beginning.data !== undefined;
  const confirm = (figures: string) => {
    if (figures.length === 6 && !confirmation.isPending) confirmation.mutate(figures);
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('Ajouter un numéro')}
      description={t('À la connexion, un code vous sera envoyé par SMS.')}
    >
      <form
        method="post"
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (isSent) confirm(code);
          else if (phone.trim() !== '') beginning.mutate();
        }}
      >
        {isSent ? (
          <Field
            label={t('Code reçu par SMS')}
            hint={t('Envoyé au {{phone}}, valable quelques minutes.', { phone })}
            error={
              confirmation.isError ? messageOf(confirmation.error, t('Ce code n’a pas pu être vérifié.')) : undefined
            }
          >
            {/* oxlint-disable-next-line jsx-a11y/no-autofocus -- the next thing to type, asked for by the person */}
            <CodeInput autoFocus value={code} onValueChange={setCode} onComplete={confirm} />
          </Field>
        ) : (
          <Field
            label={t('Numéro de téléphone')}
            hint={t('Hors de France, commencez par + et l’indicatif du pays.')}
            error={
              beginning.isError ? messageOf(beginning.error, t('Le message n’a pas pu partir. Réessayez.')) : undefined
            }
          >
            <TextInput
              type="tel"
              inputMode="tel"
              autoComplete="tel"
              value={phone}
              onChange={(event) => setPhone(event.target.value)}
            />
          </Field>
        )}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" pending={beginning.isPending || confirmation.isPending}>
            {isSent ? t('Activer') : t('Recevoir un code')}
          </Button>
          <Button variant="quiet" onClick={onClose}>
            {t('Annuler')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
