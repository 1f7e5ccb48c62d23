import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';
import { IdentityCard } from './identity-card.tsx';
import { OtherDevicesCard } from './other-devices-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { PersonalDataCard } from './personal-data-card.tsx';

/** « Profil », the same for the commercial and the client (CO-11, CL-09). */
export function ProfileSection() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader title={t('Profil')} description={t('Vos coordonnées, votre mot de passe et vos données.')} />
      <div className="grid items-start gap-4 lg:grid-cols-2 lg:gap-5">
        <IdentityCard />
        <PasswordCard />
        <OtherDevicesCard />
        <PersonalDataCard />
      </div>
    </>
  );
}
