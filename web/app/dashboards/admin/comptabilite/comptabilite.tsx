import { useTranslation } from 'react-i18next';
import { Dossier } from '../../parts/accounting/dossier.tsx';
import { Papers } from '../../parts/papers.tsx';
import { Statements } from '../../parts/statements.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { AccountingJournal } from './accounting-journal.tsx';
import { Accountants } from './accountants.tsx';
import { Declaration } from './declaration.tsx';
import { EInvoicing } from './e-invoicing.tsx';
import { PaperSettingsCard } from './paper-settings.tsx';
import { RegularPayees } from './regular-payees.tsx';
import { SendDossier } from './send-dossier.tsx';

/** « Comptabilité »: what the accountant is handed (UI-12, EX-02, PP-03, PP-04, AC-10). */
export default function Comptabilite(props: SectionProps) {
  const { detail, openSection } = props;
  const { t } = useTranslation();
  return (
    <>
      <SectionTabs
        {...props}
        of="comptabilite"
        current="comptabilite"
        title={t('Comptabilité')}
        description={t(
          'Ce que votre comptable vous demande, période par période. Le journal est celui du parrainage, et non le FEC de toute l’entreprise : il s’importe dans votre logiciel.',
        )}
      />
      <RegularPayees className="mb-5" />
      <Dossier
        className="mb-5"
        asked={detail['periode']}
        sending={(period) => <SendDossier key={period} period={period} />}
      />
      <Accountants className="mb-5" />
      <AccountingJournal detail={detail} openSection={openSection} />
      <Statements
        className="mt-5"
        sectionId="comptabilite"
        payeeId={null}
        title={t('Relevés de tous les bénéficiaires')}
        detail={detail}
        openSection={openSection}
      />
      <Declaration className="mt-5" />
      <PaperSettingsCard />
      <EInvoicing />
      <Papers payeeId={null} className="mt-5" />
    </>
  );
}
