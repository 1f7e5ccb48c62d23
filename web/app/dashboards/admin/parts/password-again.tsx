import { useTranslation } from 'react-i18next';

import { Field } from '#ui/field';
import { PasswordInput } from '#ui/password-input';

/** The password once more, where an act needs a session younger than ten minutes; `signInAgain` takes it. */
export function PasswordAgain({ value, onChange }: { value: string; onChange: (password: string) => void }) {
  const { t } = useTranslation();
  return (
    <Field
      label={t('Votre mot de passe')}
      hint={t('Vous êtes connecté depuis plus de dix minutes : confirmez que c’est bien vous.')}
    >
      <PasswordInput
        autoComplete="current-password"
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Field>
  );
}
