import { passwordLengthMin } from '@parrain/domain/forms/limits';
import { isEasyToGuess, isOwnersName, type PasswordOwner } from '@parrain/domain/password';
import { useTranslation } from 'react-i18next';
import { StrengthBars } from './strength-bars.tsx';

export interface PasswordMeterProps {
  password: string;
  owner: PasswordOwner;
}

/** Strength of a password being chosen, by the server's own rules (DF-13). */
export default function PasswordMeter({ password, owner }: PasswordMeterProps) {
  const { t } = useTranslation();
  const strength = strengthOf(password, owner);
  return (
    <StrengthBars lit={steps[strength]}>
      <span aria-live="polite">
        {t('Solidité :')} {t(words[strength])}
      </span>
    </StrengthBars>
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
