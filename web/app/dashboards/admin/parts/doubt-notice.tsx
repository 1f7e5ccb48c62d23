import { doubtfulCaseStatusLabels } from '@parrain/domain/doubt';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { doubtfulCasesOfQuery } from '#api/company/doubtful-cases';
import { Notice } from '#ui/notice';
import { PlaceLink } from './place-link.tsx';

/** FD-01: the doubtful cases about a referral or a payment request, each leading to its reasons; nothing where there is none. */
export function DoubtNotice({ about, id }: { about: 'sale_id' | 'request_id'; id: string }) {
  const { t } = useTranslation();
  const { data: cases = [] } = useQuery(doubtfulCasesOfQuery(about, id));
  // What an admin cleared weighs no more.
  const weighing = cases.filter(({ status }) => status !== 'cleared');
  return weighing.map((one) => (
    <Notice key={one.id} tone="warning" title={t('Cas douteux')}>
      <PlaceLink to={{ search: `?section=cas-douteux&cas=${one.id}` }}>{t('Voir les raisons')}</PlaceLink>
      {' · '}
      {t(doubtfulCaseStatusLabels[one.status])}
    </Notice>
  ));
}
