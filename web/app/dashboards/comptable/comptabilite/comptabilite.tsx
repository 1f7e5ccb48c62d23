import { useTranslation } from 'react-i18next';
import { PageHeader } from '#ui/page-header';
import { Das2 } from '../../parts/accounting/das2.tsx';
import { Dossier } from '../../parts/accounting/dossier.tsx';
import { AccountantEInvoices } from '../../parts/accounting/e-invoices-export.tsx';
import { JournalPeriods } from '../../parts/accounting/journal-periods.tsx';
import { Papers } from '../../parts/papers.tsx';
import { Statements } from '../../parts/statements.tsx';
import { useCompanyName } from '../../parts/use-company-name.ts';
import type { SectionProps } from '../../shell/sections.ts';

/** « Comptabilité » as the company's accountant reads it (UI-12): the admin's own lists, and nothing to change. */
export default function Comptabilite({ detail, openSection }: SectionProps) {
  const { t } = useTranslation();
  const company = useCompanyName() ?? '';
  return (
    <>
      <PageHeader
        title={t('Comptabilité')}
        description={t(
          'Le parrainage de {{company}}, à lire et à télécharger. Le journal est celui du parrainage, et non le FEC de toute l’entreprise : il s’importe dans votre logiciel.',
          { company },
        )}
      />
      <Dossier className="mb-5" asked={detail['periode']} />
      <JournalPeriods detail={detail} openSection={openSection} />
      <Statements
        className="mt-5"
        sectionId="comptabilite"
        payeeId={null}
        title={t('Relevés de tous les bénéficiaires')}
        detail={detail}
        openSection={openSection}
      />
      <Das2 className="mt-5" />
      <AccountantEInvoices className="mt-5" />
      <Papers payeeId={null} className="mt-5" />
    </>
  );
}
