import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { regularPayeesQuery } from '#api/payments/regular-payees';
import { firstPage } from '#api/transport/read-page';
import { Card, CardHeader } from '#ui/card';
import { Pagination } from '#ui/pagination';
import { DealtButton } from '../parts/dealt-button.tsx';
import { PersonLink } from '../parts/person-link.tsx';
import { regularCounts, regularMeaning } from '../parts/regular-words.ts';

/** AC-10: the particuliers who have become regular, each until an admin has dealt with it; nothing where there is none. */
export function RegularPayees({ className }: { className?: string }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(firstPage);
  const { data } = useQuery(regularPayeesQuery(page));
  if (data === undefined || data.rowCount === 0) return null;
  const title = t('Particuliers devenus réguliers');
  return (
    <Card className={className}>
      <CardHeader title={title} description={t(regularMeaning)} level={3} />
      <ul aria-label={title} className="divide-y divide-hairline">
        {data.rows.map((payee) => (
          <li key={payee.id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
            <div className="min-w-0 grow basis-60">
              <p className="font-medium wrap-anywhere">
                <PersonLink role="client" id={payee.id}>
                  {payee.fullName}
                </PersonLink>
              </p>
              <p className="text-sm text-encre-soft">{regularCounts(payee, t)}</p>
            </div>
            <DealtButton payee={payee} />
          </li>
        ))}
      </ul>
      <Pagination label={title} page={data} onMove={setPage} />
    </Card>
  );
}
