import { useQuery } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { alarmsQuery } from '#api/company/system-state';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import type { SectionProps } from '../../shell/sections.ts';

// Their words are many, and an alarm is rare.
const AlarmNotices = lazyPart(() => import('../parts/alarm-notices.tsx'));

/** OP-03: what goes wrong on the server, here only while something does. */
export function SystemAlarms({ openSection }: Pick<SectionProps, 'openSection'>) {
  const { t } = useTranslation();
  const { data: alarms = [] } = useQuery(alarmsQuery);
  if (alarms.length === 0) return null;
  return (
    <AlarmNotices
      alarms={alarms}
      action={
        <Button size="sm" icon={<ArrowRight />} onClick={() => openSection('etat-du-systeme')}>
          {t('Voir l’état du système')}
        </Button>
      }
    />
  );
}
