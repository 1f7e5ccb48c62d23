import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '#api/transport/session';
import { PageHeader } from '#ui/page-header';
import { Network } from '../../parts/network/network.tsx';
import type { SectionProps } from '../../shell/sections.ts';

/** NW-01, X-02: a commercial's branch: their clients, and what these referred to them. */
export default function Reseau(props: SectionProps) {
  const { t } = useTranslation();
  const { id, fullName } = useProfile();
  const root = useMemo(
    () => ({ name: fullName, branch: { level: 'commercial', commercialId: id } as const }),
    [id, fullName],
  );
  return (
    <Network
      root={root}
      audience="commercial"
      panels={panels}
      place={props}
      head={
        <PageHeader
          title={t('Réseau')}
          description={t('Vos clients et leurs filleuls, avec ce que chaque branche vous rapporte.')}
        />
      }
    />
  );
}

const panels = {
  client: ['mes-clients', 'client'],
  referral: ['parrainages-recus', 'parrainage'],
} as const;
