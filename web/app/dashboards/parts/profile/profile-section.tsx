import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '#api/transport/session';
import { PageHeader } from '#ui/page-header';
import { Sought } from '#ui/sought';
import type { SectionProps } from '../../shell/sections.ts';
import { BankAccountCard } from './bank-account-card.tsx';
import { ClosureCard } from './closure-card.tsx';
import { DevicesCard } from './devices-card.tsx';
import { EmailCard } from './email-card.tsx';
import { IdentitiesCard } from './identities-card.tsx';
import { IdentityCard } from './identity-card.tsx';
import { MessagesCard } from './messages-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { PersonalDataCard } from './personal-data-card.tsx';
import { ProfileGroup } from './profile-group.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

/** « Profil », the same for the three roles (CO-11, CL-09); a commercial gives the account that pays them (PO-05). */
export function ProfileSection({ detail }: Pick<SectionProps, 'detail'>) {
  const { t } = useTranslation();
  const { role } = useProfile();
  const card = (id: string, content: ReactNode) => <Sought isSought={detail['carte'] === id}>{content}</Sought>;
  return (
    <>
      <PageHeader title={t('Profil')} description={t('Vos coordonnées, vos connexions et vos données.')} />
      <ProfileGroup title={t('Vous')} description={t('Comment vos interlocuteurs vous voient et vous joignent.')}>
        {card('identite', <IdentityCard />)}
        {card('e-mail', <EmailCard />)}
      </ProfileGroup>
      {role === 'commercial' && (
        <ProfileGroup title={t('Paiement')} description={t('Où vont vos commissions.')}>
          {card('iban', <BankAccountCard />)}
        </ProfileGroup>
      )}
      <ProfileGroup title={t('Connexion')} description={t('Ce qui ouvre votre compte, et ce qui le protège.')}>
        {card('mot-de-passe', <PasswordCard />)}
        {card('double-authentification', <TwoFactorCard />)}
        {card('cles', <PasskeysCard />)}
        <IdentitiesCard />
        {card('appareils', <DevicesCard />)}
      </ProfileGroup>
      <ProfileGroup title={t('Messages')} description={t('Ce que nous vous envoyons, et quand.')}>
        {card('messages', <MessagesCard />)}
      </ProfileGroup>
      <ProfileGroup
        title={t('Vos droits')}
        description={t('Vos données sont à vous : lisez-les, emportez-les, partez.')}
      >
        {card('donnees', <PersonalDataCard />)}
        {card('fermeture', <ClosureCard />)}
      </ProfileGroup>
    </>
  );
}
