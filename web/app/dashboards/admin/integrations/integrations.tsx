import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiKeysQuery } from '#api/company/api-keys';
import { webhooksQuery } from '#api/company/webhooks';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { ApiKeysCard } from './api-keys-card.tsx';
import { WebhooksCard } from './webhooks-card.tsx';

/** « Intégrations »: other software that works with the programme (WH-01, WH-02). */
export default function Integrations(props: SectionProps) {
  const { t } = useTranslation();
  const keys = useQuery(apiKeysQuery);
  // Read with the keys, though it stands under them.
  useQuery(webhooksQuery);
  return (
    <>
      <SectionTabs
        {...props}
        of="reglages"
        current="integrations"
        title={t('Intégrations')}
        description={t('Reliez Parrain à vos autres logiciels : devis, CRM, comptabilité.')}
      />
      <div className="space-y-5">
        <ApiKeysCard />
        {/* Under a list of unknown length: it stands there once that is known, and never moves. */}
        {!keys.isPending && <WebhooksCard />}
      </div>
    </>
  );
}
