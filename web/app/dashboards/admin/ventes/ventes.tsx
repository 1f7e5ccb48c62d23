import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';

export default function Ventes() {
  const { t } = useTranslation();
  return <PageHeader title={t('Ventes')} />;
}
