import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';

export default function Commerciaux() {
  const { t } = useTranslation();
  return <PageHeader title={t('Commerciaux')} />;
}
