import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { secondFactorsQuery } from '#api/account/second-factors';
import { updateCompanySecurity } from '#api/company/update-company-security';
import type { SettingProps } from './setting-blocks.tsx';
import { SettingSwitch } from './setting-switch.tsx';

/** AU-17: whether every admin needs a second step. */
export function AdminSecuritySetting({ title, settings: { requireAdminTwoFactor: isOn } }: SettingProps) {
  const { t } = useTranslation();
  const factors = useQuery(secondFactorsQuery);
  const hasNone = factors.data?.every((factor) => factor.kind === 'recovery-codes') === true;
  return (
    <SettingSwitch
      title={title}
      label={t('Exiger la double authentification des administrateurs')}
      description={
        hasNone && !isOn
          ? t('Activez d’abord la vôtre, dans votre profil.')
          : t('Ceux qui ne l’ont pas devront l’activer avant de continuer.')
      }
      isOn={isOn}
      disabled={factors.data === undefined || (hasNone && !isOn)}
      save={updateCompanySecurity}
    />
  );
}
