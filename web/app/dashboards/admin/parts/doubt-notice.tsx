import { doubtfulCaseStatusLabels } from '@parrain/domain/doubt';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { doubtfulCasesOfQuery } from '#api/company/doubtful-cases';
import { Notice } from '#ui/notice';
import { inlineLinkClass } from './person-link.tsx';

/** FD-01: the doubtful cases about a referral or a payment request, each leading to its reasons; nothing where there is none. */
export function DoubtNotice({ about, id }: { about: 'sale_id' | 'request_id'; id: string }) {
  const { t } = useTranslation();
  const { data: cases = [] } = useQuery(doubtfulCasesOfQuery(about, id));
  // What an admin cleared weighs no more.
  const weighing = cases.filter(({ status }) => status !== 'cleared');
  return weighing.map((one) => (
    <Notice key={one.id} tone="warning" title={t('Cas douteux')}>
      <Link to={{ search: `?section=cas-douteux&cas=${one.id}` }} className={inlineLinkClass}>
        {t('Voir les raisons')}
      </Link>
      {' · '}
      {t(doubtfulCaseStatusLabels[one.status])}
    </Notice>
  ));
}
