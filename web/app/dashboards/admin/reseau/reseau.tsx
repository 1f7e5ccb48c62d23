import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Network } from '../../parts/network/network.tsx';
import { useCompanyName } from '../../parts/use-company-name.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';

/** NW-01, X-02: the company, its commercials, their clients and what these referred. */
export default function Reseau(props: SectionProps) {
  const { t } = useTranslation();
  const name = useCompanyName() ?? '';
  const root = useMemo(() => ({ name, branch: { level: 'company' } as const }), [name]);
  return (
    <Network
      root={root}
      audience="admin"
      panels={panels}
      place={props}
      head={
        <SectionTabs
          {...props}
          of="clients"
          current="reseau"
          title={t('Réseau')}
          description={t(
            'Qui amène qui, et ce que chaque branche rapporte : les contrats validés, et les commissions des deux parts.',
          )}
        />
      }
    />
  );
}

const panels = {
  commercial: ['commerciaux', 'commercial'],
  client: ['clients', 'client'],
  referral: ['ventes', 'vente'],
} as const;
