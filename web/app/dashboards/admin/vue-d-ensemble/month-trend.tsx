import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { monthTrendsQuery, type MonthTrends } from '#api/company/month-trends';
import { Skeleton } from '#ui/skeleton';
import { amountTrendText, countTrendText } from './trend-text.ts';

/** UI-08: how a figure goes this month, beside as many days of the month before. */
export default function MonthTrend({ of }: { of: keyof MonthTrends }) {
  const { t } = useTranslation();
  const { data, isPending } = useQuery(monthTrendsQuery);
  if (data === undefined) return isPending && <Skeleton className="h-[1lh] w-40 max-w-full" />;
  return of === 'revenue' ? amountTrendText(data.revenue, t) : countTrendText(data[of], t);
}
