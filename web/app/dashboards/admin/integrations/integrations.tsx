import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';
import { ApiKeysCard } from './api-keys-card.tsx';
import { WebhooksCard } from './webhooks-card.tsx';

/** « Intégrations »: other software that works with the programme (WH-01, WH-02). */
export default function Integrations() {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader
        title={t('Intégrations')}
        description={t('Reliez Parrain à vos autres logiciels : devis, CRM, comptabilité.')}
      />
      <div className="space-y-5">
        <ApiKeysCard />
        <WebhooksCard />
      </div>
    </>
  );
}
