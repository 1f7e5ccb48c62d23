import { passwordLengthMin } from '@parrain/domain/forms/limits';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';

/** The hint under a password being chosen: what is asked, and how strong it is so far. */
export function PasswordStrength({ password }: { password: string }) {
  const { t } = useTranslation();
  const strength = strengthOf(password);
  return (
    <span className="block">
      <span aria-hidden className="mb-1.5 flex gap-1">
        {[1, 2, 3].map((step) => (
          <span
            key={step}
            className={clsx(
              'h-1 flex-1 rounded-full transition-colors duration-160',
              strength < step ? 'bg-hairline' : strength === 1 ? 'bg-amber' : 'bg-sapin',
            )}
          />
        ))}
      </span>
      {password === '' ? (
        `${passwordLengthMin} ${t('caractères au moins. Quelques mots qui ne vont pas ensemble font un bon mot de passe.')}`
      ) : (
        <span aria-live="polite">
          {t('Solidité :')} {t(words[strength])}
        </span>
      )}
    </span>
  );
}

/** 0 too short, 1 weak, 2 right, 3 strong: length first, then variety. */
export function strengthOf(password: string): 0 | 1 | 2 | 3 {
  const characters = [...password];
  if (characters.length < passwordLengthMin) return 0;
  const variety = new Set(characters).size;
  if (variety < 6) return 1;
  return characters.length >= 16 && variety >= 10 ? 3 : 2;
}

const words = ['trop court', 'faible, trop de répétitions', 'correcte', 'excellente'] as const;
