import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { TabLinks } from '#ui/tab-links';
import type { SectionProps } from '../../shell/sections.ts';

/** The sections that are tabs of one entry of the menu, by that entry, with the words of their tabs (UI-05). */
export const sectionTabs = {
  clients: { label: 'Clients', tabs: { clients: 'Liste', reseau: 'Réseau' } },
  validations: { label: 'Validations', tabs: { validations: 'À valider', 'cas-douteux': 'Cas douteux' } },
  'demandes-de-paiement': {
    label: 'Paiements',
    tabs: {
      'demandes-de-paiement': 'Demandes',
      virements: 'Virements',
      'commissions-des-commerciaux': 'Commerciaux',
      'historique-des-paiements': 'Historique',
    },
  },
  comptabilite: {
    label: 'Comptabilité',
    tabs: { comptabilite: 'Écritures et pièces', 'controle-des-comptes': 'Contrôle des\u00a0comptes' },
  },
  reglages: {
    label: 'Réglages',
    tabs: {
      reglages: 'Réglages',
      integrations: 'Intégrations',
      journal: 'Journal',
      'messages-envoyes': 'Messages envoyés',
      'etat-du-systeme': 'État du système',
    },
  },
} as const;

export interface SectionTabsProps extends Pick<SectionProps, 'openSection' | 'hrefOf'> {
  of: keyof typeof sectionTabs;
  /** The section on screen. */
  current: string;
  /** Number of things that wait behind a tab, by its section. */
  counts?: Readonly<Record<string, number | undefined>>;
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
}

/** The head of a section that shares an entry of the menu: its title (DF-11), and a tab for each, an address of its own. */
export function SectionTabs({
  of,
  current,
  counts,
  openSection,
  hrefOf,
  title,
  description,
  actions,
}: SectionTabsProps) {
  const { t } = useTranslation();
  const { label, tabs } = sectionTabs[of];
  return (
    <header className="mb-3 max-sm:-mt-4 max-sm:mb-2">
      {/* One line on a wide screen, which leaves the room to rows. */}
      <div className="xl:flex xl:items-center xl:gap-x-6">
        <h2 className="mb-2 text-xl max-sm:mb-0 max-sm:text-lg/6 xl:mb-0 xl:shrink-0" tabIndex={-1}>
          {title}
        </h2>
        <div className="min-w-0 xl:grow">
          <TabLinks
            label={t(label)}
            current={current}
            onSelect={(id) => openSection(id)}
            hrefOf={(id) => hrefOf(id)}
            actions={actions}
            tabs={Object.entries(tabs).map(([id, word]) => ({ id, label: t(word), count: counts?.[id] }))}
          />
        </div>
      </div>
      {description !== undefined && (
        <p className="mt-3 max-w-[90ch] text-encre-soft max-sm:mt-1 max-sm:text-sm">{description}</p>
      )}
    </header>
  );
}
