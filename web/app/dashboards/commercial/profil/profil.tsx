import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';

export default function Profil() {
  const { t } = useTranslation();
  return <PageHeader title={t('Profil')} />;
}
