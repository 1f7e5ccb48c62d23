import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';
import { Statements } from '../../parts/statements.tsx';
import type { SectionProps } from '../../shell/sections.ts';

/** « Comptabilité »: what the accountant is handed (PP-03). */
export default function Comptabilite({ detail, openSection }: SectionProps) {
  const { t } = useTranslation();
  return (
    <>
      <PageHeader
        title={t('Comptabilité')}
        description={t('Ce que votre comptable vous demande, période par période.')}
      />
      <Statements
        sectionId="comptabilite"
        payeeId={null}
        title={t('Relevés de tous les bénéficiaires')}
        detail={detail}
        openSection={openSection}
      />
    </>
  );
}
