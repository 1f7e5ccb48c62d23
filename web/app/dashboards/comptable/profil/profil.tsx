import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';
import { Sought } from '#ui/sought';
import { DevicesCard } from '../../parts/profile/devices-card.tsx';
import { EmailCard } from '../../parts/profile/email-card.tsx';
import { IdentitiesCard } from '../../parts/profile/identities-card.tsx';
import { IdentityCard } from '../../parts/profile/identity-card.tsx';
import { PasskeysCard } from '../../parts/profile/passkeys-card.tsx';
import { PasswordCard } from '../../parts/profile/password-card.tsx';
import { ProfileGroup } from '../../parts/profile/profile-group.tsx';
import { TwoFactorCard } from '../../parts/profile/two-factor-card.tsx';
import type { SectionProps } from '../../shell/sections.ts';

/** « Profil » of the accountant (UI-12): who they are and how they sign in. The company closes their access. */
export default function Profil({ detail }: SectionProps) {
  const { t } = useTranslation();
  const card = (id: string, content: ReactNode) => <Sought isSought={detail['carte'] === id}>{content}</Sought>;
  return (
    <>
      <PageHeader title={t('Profil')} description={t('Vos coordonnées et vos connexions.')} />
      <ProfileGroup title={t('Vous')} description={t('Comment l’entreprise vous voit et vous joint.')}>
        {card('identite', <IdentityCard />)}
        {card('e-mail', <EmailCard />)}
      </ProfileGroup>
      <ProfileGroup title={t('Connexion')} description={t('Ce qui ouvre votre compte, et ce qui le protège.')}>
        {card('mot-de-passe', <PasswordCard />)}
        {card('double-authentification', <TwoFactorCard />)}
        {card('cles', <PasskeysCard />)}
        <IdentitiesCard />
        {card('appareils', <DevicesCard />)}
      </ProfileGroup>
    </>
  );
}
