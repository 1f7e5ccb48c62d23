import { settingsSaved } from '@parrain/domain/messages';
import { useTranslation } from 'react-i18next';
import { updateCallConsent } from '#api/company/update-call-consent';
import type { SettingProps } from './setting-blocks.tsx';
import { SettingSwitch } from './setting-switch.tsx';

/** CS-03: whether only friends who agreed are called. */
export function CallConsentSetting({ title, settings }: SettingProps) {
  const { t } = useTranslation();
  return (
    <SettingSwitch
      title={title}
      label={t('N’appeler que les amis qui l’ont accepté')}
      description={t(
        'À cocher si vos clients recommandent des particuliers : depuis le 11 août 2026, la loi demande leur accord. Entre professionnels, il n’est pas demandé. Sans réponse, le commercial n’appelle pas et écrit une seule fois. Un refus est toujours respecté.',
      )}
      isOn={settings.requireCallConsent}
      save={async (isOn) => {
        await updateCallConsent(isOn);
        return { message: t(settingsSaved) };
      }}
    />
  );
}
