import { alarmWords } from '@parrain/domain/alarm';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Alarm } from '#api/company/system-state';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';

export interface AlarmNoticesProps {
  alarms: readonly Alarm[];
  /** A button beside each. */
  action?: ReactNode;
}

/** Each alarm: what it is, since when, what may come of it, what to do. */
export default function AlarmNotices({ alarms, action }: AlarmNoticesProps) {
  const { t } = useTranslation();
  return (
    <div className="mb-5 space-y-3">
      {alarms.map(({ kind, raisedAt }) => {
        const { title, meaning, advice } = alarmWords[kind];
        return (
          <Notice key={kind} tone="error" title={t(title)} action={action}>
            <p>{t(meaning)}</p>
            <p className="mt-1">
              <strong className="font-medium text-encre">{t('À faire :')}</strong> {t(advice)}
            </p>
            <p className="mt-1 text-sm">
              {t('Depuis le')} <DateText value={raisedAt} withTime />
            </p>
          </Notice>
        );
      })}
    </div>
  );
}
