import { Repeat } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { RegularCount } from '#api/payments/regular-count';
import type { SectionProps } from '../../shell/sections.ts';
import { Line } from './to-do-line.tsx';

/** AC-10: particuliers whom no admin has dealt with, and the names of those with the most contracts. */
export function RegularPayeesLine({
  regular: { count, names },
  openSection,
}: { regular: RegularCount } & Pick<SectionProps, 'openSection'>) {
  const { t } = useTranslation();
  return (
    <Line
      count={count}
      waiting={names.join(', ')}
      icon={<Repeat aria-hidden />}
      one={t('particulier devenu régulier')}
      many={t('particuliers devenus réguliers')}
      action={t('Voir')}
      onOpen={() => openSection('comptabilite')}
    />
  );
}
