import { passwordLengthMin } from '@parrain/domain/forms/limits';
import { isEasyToGuess, isOwnersName, type PasswordOwner } from '@parrain/domain/password';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';

/** The hint under a password being chosen: what is asked, and how strong it is so far, by the server's own rules (DF-13). */
export function PasswordStrength({ password, owner }: { password: string; owner: PasswordOwner }) {
  const { t } = useTranslation();
  const strength = strengthOf(password, owner);
  return (
    <span className="block">
      <span aria-hidden className="mb-1.5 flex gap-1">
        {[1, 2, 3].map((step) => (
          <span
            key={step}
            className={clsx(
              'h-1 flex-1 rounded-full transition-colors duration-160',
              steps[strength] < step ? 'bg-hairline' : steps[strength] === 1 ? 'bg-amber' : 'bg-sapin',
            )}
          />
        ))}
      </span>
      {password === '' ? (
        `${passwordLengthMin} ${t('caractères au moins. Trois ou quatre mots sans rapport font un bon mot de passe.')}`
      ) : (
        <span aria-live="polite">
          {t('Solidité :')} {t(words[strength])}
        </span>
      )}
    </span>
  );
}

type Strength = keyof typeof words;

/** Length first, then what anybody would guess, then variety. The first three are refused or advised against. */
export function strengthOf(password: string, owner: PasswordOwner): Strength {
  const characters = [...password];
  if (characters.length < passwordLengthMin) return 'short';
  if (isEasyToGuess(password)) return 'guessed';
  if (isOwnersName(password, owner)) return 'own';
  const variety = new Set(characters).size;
  if (variety < 6) return 'repetitive';
  return characters.length >= 16 && variety >= 10 ? 'excellent' : 'right';
}

const words = {
  short: 'trop court',
  guessed: 'trop facile à deviner',
  own: 'trop proche de votre nom ou de votre e-mail',
  repetitive: 'faible, trop de répétitions',
  right: 'correcte',
  excellent: 'excellente',
} as const;

/** Of three, how many are lit. */
const steps: Readonly<Record<Strength, 0 | 1 | 2 | 3>> = {
  short: 0,
  guessed: 0,
  own: 0,
  repetitive: 1,
  right: 2,
  excellent: 3,
};
