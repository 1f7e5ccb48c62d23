import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';

export default function MesClients() {
  const { t } = useTranslation();
  return <PageHeader title={t('Mes Clients')} />;
}
