import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BottomBar } from '#ui/bottom-bar';
import { Dialog } from '#ui/dialog';
import { SideNav, type SideNavProps } from '#ui/side-nav';

/** The bar of a phone; its « Plus » opens every section, as in the rail of a wide screen. */
export default function PhoneBar({ nav }: { nav: SideNavProps<string> }) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <BottomBar {...nav} moreLabel={t('Plus')} onMore={() => setIsOpen(true)} />
      <Dialog open={isOpen} onOpenChange={setIsOpen} title={t('Sections')} size="sm">
        <SideNav
          {...nav}
          label={t('Toutes les sections')}
          onSelect={(id) => {
            setIsOpen(false);
            nav.onSelect(id);
          }}
        />
      </Dialog>
    </>
  );
}
