import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useProfile } from '#api/transport/session';
import { PageHeader } from '#ui/page-header';
import { Network } from '../../parts/network/network.tsx';
import type { SectionProps } from '../../shell/sections.ts';

/** NW-01, X-02: a client's branch: the friends they invited. */
export default function Reseau(props: SectionProps) {
  const { t } = useTranslation();
  const { fullName } = useProfile();
  const root = useMemo(() => ({ name: fullName, branch: { level: 'own' } as const }), [fullName]);
  return (
    <Network
      root={root}
      audience="client"
      panels={panels}
      place={props}
      head={
        <PageHeader
          title={t('Réseau')}
          description={t('Les amis que vous avez invités, et ce que chacun vous rapporte.')}
        />
      }
    />
  );
}

const panels = {
  referral: ['mes-parrainages', 'parrainage'],
} as const;
