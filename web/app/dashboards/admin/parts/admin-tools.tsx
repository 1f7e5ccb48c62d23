import { Settings } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '#api/transport/session';
import { Avatar } from '#ui/avatar';
import { Button } from '#ui/button';
import { NavControl } from '#ui/side-nav';
import type { SectionProps } from '../../shell/sections.ts';

/** H-03, UI-05: the admin's « Paramètres », and the way to their own account behind their initials. */
export function AdminTools({
  openSection,
  hrefOf,
  onSettings,
}: Pick<SectionProps, 'openSection' | 'hrefOf'> & { onSettings: () => void }) {
  const { t } = useTranslation();
  const { fullName } = useProfile();
  return (
    <>
      <Button icon={<Settings />} onClick={onSettings} aria-label={t('Paramètres')} className="max-sm:w-11 max-sm:px-0">
        <span className="max-sm:hidden">{t('Paramètres')}</span>
      </Button>
      <NavControl
        href={hrefOf('profil')}
        onSelect={() => openSection('profil')}
        title={fullName}
        className="tap-target rounded-full max-sm:hidden sm:order-1"
      >
        <Avatar name={fullName} />
        <span className="sr-only">{t('Profil')}</span>
      </NavControl>
    </>
  );
}
