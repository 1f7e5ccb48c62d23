import clsx from 'clsx';
import type { ComponentProps, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { CompanySettings } from '#api/company/company-settings';
import { buttonClass } from '#ui/button';
import type { SettingId } from '../../shell/spots.ts';
import { AdminSecuritySetting } from './admin-security-setting.tsx';
import { CallConsentSetting } from './call-consent-setting.tsx';
import { CompanyAccountSetting } from './company-account-setting.tsx';
import { ContactRetentionSetting } from './contact-retention-setting.tsx';
import { DataArchiveSetting } from './data-archive-setting.tsx';
import { FirstReferralSetting } from './first-referral-setting.tsx';
import { FollowUpSetting } from './follow-up-setting.tsx';
import { FourEyesSetting } from './four-eyes-setting.tsx';
import { HeaderPreview } from './header-preview.tsx';
import { LegalNoticeSetting } from './legal-notice-setting.tsx';
import { NewClientsSetting } from './new-clients-setting.tsx';
import { PresentationSetting } from './presentation-setting.tsx';
import { RequestRulesSetting } from './request-rules-setting.tsx';
import { RulesSetting } from './rules-setting.tsx';
import { SettingCard } from './setting-card.tsx';

/** The props of every setting of the page. */
export interface SettingProps {
  /** Its name in the table of settings. */
  title: string;
  /** The section that the table leads to: another one where the setting stands with the lists it rules. */
  section: string;
  settings: CompanySettings;
}

/** The block of each setting; their names, words, order and subjects stand in ../../shell/spots.ts. */
export const settingBlocks: Readonly<Record<SettingId, (props: SettingProps) => ReactNode>> = {
  nom: NameSetting,
  page: PresentationSetting,
  mentions: LegalNoticeSetting,
  baremes: elsewhere('Ce que touchent le client et le commercial pour chaque contrat signé.'),
  regles: RulesSetting,
  appels: CallConsentSetting,
  'premier-parrain': FirstReferralSetting,
  'nouveaux-clients': NewClientsSetting,
  relances: FollowUpSetting,
  contacts: ContactRetentionSetting,
  compte: CompanyAccountSetting,
  validation: FourEyesSetting,
  demandes: RequestRulesSetting,
  comptabilite: elsewhere('Les comptes de vos écritures, les pièces des paiements et la déclaration DAS2.'),
  securite: AdminSecuritySetting,
  doutes: elsewhere('Ce qui est signalé comme une fraude possible, et ce qui attend alors votre décision.'),
  donnees: DataArchiveSetting,
};

/** A setting that stands with the lists it rules. */
function elsewhere(description: string) {
  return function SettingElsewhere({ title, section }: SettingProps) {
    const { t } = useTranslation();
    return (
      <SettingCard title={title} description={t(description)}>
        <Way to={`?section=${section}`}>{t('Ouvrir')}</Way>
      </SettingCard>
    );
  };
}

function Way({ className, ...link }: ComponentProps<typeof Link>) {
  return <Link {...link} className={clsx(buttonClass({ size: 'sm' }), 'self-start', className)} />;
}

/** AD-11: what « Paramètres » holds, and the way to it. */
function NameSetting({ title, settings }: SettingProps) {
  const { t } = useTranslation();
  return (
    <SettingCard title={title} description={t('Ce que voient vos commerciaux et vos clients.')}>
      <HeaderPreview name={settings.companyName} url={settings.logoUrl} />
      <Way to="?section=reglages&parametres=nom" preventScrollReset>
        {t('Modifier le nom et le logo')}
      </Way>
    </SettingCard>
  );
}
