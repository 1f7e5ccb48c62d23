import { passwordLengthMin } from '@parrain/domain/forms/limits';
import type { PasswordOwner } from '@parrain/domain/password';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '#ui/lazy-part';
import { StrengthBars } from './strength-bars.tsx';

// The rules come with the first letter.
const PasswordMeter = lazyPart(() => import('./password-meter.tsx'), <StrengthBars lit={0}>{'\u00a0'}</StrengthBars>);

/** The hint under a password being chosen: what is asked, then how strong it is so far (DF-13). */
export function PasswordStrength({ password, owner }: { password: string; owner: PasswordOwner }) {
  const { t } = useTranslation();
  if (password !== '') return <PasswordMeter password={password} owner={owner} />;
  return (
    <StrengthBars lit={0}>
      {`${passwordLengthMin} ${t('caractères au moins. Trois ou quatre mots sans rapport font un bon mot de passe.')}`}
    </StrengthBars>
  );
}
