import { useTranslation } from 'react-i18next';
import { useProfile } from '#api/transport/session';
import { PageHeader } from '#ui/page-header';
import { Papers } from './papers.tsx';
import { PayeeSection } from './payee-details.tsx';
import { Statements } from './statements.tsx';
import type { SectionProps } from '../shell/sections.ts';

/** « Documents » of a client or a commercial: what they may keep or hand to their accountant (PP-03). */
export default function Documents({ detail, openSection }: SectionProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  return (
    <>
      <PageHeader
        title={t('Documents')}
        description={t('Vos relevés de compte : ce qui vous était dû, chaque opération, ce qui vous est dû.')}
      />
      <PayeeSection
        payeeId={profile.id}
        isOwn
        className="mb-5 rounded-card border border-hairline bg-sheet p-4 sm:p-5"
      />
      <Papers payeeId={profile.id} className="mb-5" />
      <Statements
        sectionId="documents"
        payeeId={profile.id}
        title={t('Relevés de compte')}
        detail={detail}
        openSection={openSection}
      />
    </>
  );
}
