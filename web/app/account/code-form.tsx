import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { CodeInput } from '#ui/code-input';
import { Field } from '#ui/field';

/** The six digits of a mail that is read on another device than this one. */
export function CodeForm({ action, onCode }: { action: string; onCode: (code: string) => Promise<void> }) {
  const { t } = useTranslation();
  const [code, setCode] = useState('');
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<string>();
  const send = async (digits: string) => {
    if (pending) return;
    if (digits.length < 6) {
      setError(t('Saisissez les 6 chiffres du message.'));
      return;
    }
    setPending(true);
    setError(undefined);
    try {
      await onCode(digits);
    } catch (reason) {
      setError(messageOf(reason, t('Le code n’a pas pu être vérifié. Réessayez.')));
      setCode('');
    }
    setPending(false);
  };
  return (
    <form
      method="post"
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        void send(code);
      }}
    >
      <Field label={t('Code reçu par e-mail')} hint={t('Les 6 chiffres du message, valables une heure.')} error={error}>
        <CodeInput value={code} onValueChange={setCode} onComplete={(digits) => void send(digits)} />
      </Field>
      <Button type="submit" variant="primary" size="lg" pending={pending}>
        {action}
      </Button>
    </form>
  );
}
