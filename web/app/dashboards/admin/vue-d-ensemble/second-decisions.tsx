import { UserCheck } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { SecondDecision } from '#api/payments/second-decisions';
import type { SectionProps } from '../../shell/sections.ts';
import { Line, namedMax } from './to-do-line.tsx';

/** AC-05, PO-01: waivers, adjustments and batches above the company's amount, each kind leading to where it is decided. */
export default function SecondDecisions({
  decisions,
  openSection,
}: { decisions: readonly SecondDecision[] } & Pick<SectionProps, 'openSection'>) {
  const { t } = useTranslation();
  const accounts = decisions.filter(({ kind }) => kind !== 'batch');
  const batches = decisions.length - accounts.length;
  return (
    <>
      {accounts.length > 0 && (
        <Line
          count={accounts.length}
          waiting={accounts
            .slice(0, namedMax)
            .map(({ name }) => name)
            .join(', ')}
          icon={<UserCheck aria-hidden />}
          one={t('abandon de dette ou ajustement à confirmer')}
          many={t('abandons de dette ou ajustements à confirmer')}
          action={t('Décider')}
          onOpen={() => openSection('controle-des-comptes')}
        />
      )}
      {batches > 0 && (
        <Line
          count={batches}
          waiting={t('préparé par un autre administrateur')}
          icon={<UserCheck aria-hidden />}
          one={t('virement groupé à valider')}
          many={t('virements groupés à valider')}
          action={t('Valider')}
          onOpen={() => openSection('virements', { statut: 'draft' })}
        />
      )}
    </>
  );
}
