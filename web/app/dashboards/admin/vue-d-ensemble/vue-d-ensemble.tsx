import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';

export default function VueDEnsemble() {
  const { t } = useTranslation();
  return <PageHeader title={t("Vue d'ensemble")} />;
}
