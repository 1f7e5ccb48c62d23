import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BottomBar } from '#ui/bottom-bar';
import { Dialog } from '#ui/dialog';
import { SideNav, type NavGroup, type SideNavProps } from '#ui/side-nav';

interface PhoneBarProps {
  nav: SideNavProps<string>;
  /** Entries of « Plus »: the menu, and what the header of a wide screen leads to. */
  all: readonly NavGroup<string>[];
}

/** The bar of a phone; its « Plus » opens every section. */
export default function PhoneBar({ nav, all }: PhoneBarProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <BottomBar {...nav} moreLabel={t('Plus')} onMore={() => setIsOpen(true)} />
      <Dialog open={isOpen} onOpenChange={setIsOpen} title={t('Sections')} size="sm">
        <SideNav
          {...nav}
          groups={all}
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
