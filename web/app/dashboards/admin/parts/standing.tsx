import { stops, type Decision, type Standing } from '@parrain/domain/standing';
import { standingLabel, standingSentence } from '@parrain/domain/standing-words';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Notice } from '#ui/notice';
import { useSendsMail } from '../../parts/use-sends-mail.ts';
import { PlaceLink } from './place-link.tsx';

/** DF-40: what stands against a decision, in a row: a line each. The row itself is a link: where it is settled stands in its dialog. */
export function StandingMarks({ standing }: { standing: readonly Standing[] | undefined }) {
  const { t } = useTranslation();
  return standing?.map((one) => (
    <span
      key={keyOf(one)}
      className="mt-0.5 flex items-start gap-1.5 text-sm font-normal whitespace-normal text-amber [&_svg]:mt-0.5 [&_svg]:size-3.5 [&_svg]:shrink-0"
    >
      <TriangleAlert aria-hidden />
      <span className="min-w-0 break-words">{t(standingLabel(one))}</span>
    </span>
  ));
}

/** The same before a decision: what would refuse it first, each with its sentence and the way to settle it. */
export function StandingNotice({
  standing,
  decision,
}: {
  standing: readonly Standing[] | undefined;
  decision: Decision;
}) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  if (standing === undefined || standing.length === 0) return null;
  const isStopped = standing.some((one) => stops(one, decision));
  return (
    <Notice tone="warning" title={isStopped ? t('Ce qui l’empêche') : t('À savoir avant de décider')}>
      <ul className="grid gap-1">
        {standing.map((one) => {
          const to = placeOf(one);
          return (
            <li key={keyOf(one)} className="break-words">
              {t(standingSentence(one, sendsMail))}
              {to !== null && (
                <>
                  {' '}
                  <PlaceLink to={to}>{t(wayOf(one))}</PlaceLink>
                </>
              )}
            </li>
          );
        })}
      </ul>
    </Notice>
  );
}

/** Those that a bulk act leaves to a decision of their own, each with its reasons. */
export function SetAside<Row extends { id: string }>({
  title,
  rows,
  name,
  reasons,
}: {
  title: string;
  rows: readonly Row[];
  name: (row: Row) => ReactNode;
  reasons: (row: Row) => readonly Standing[];
}) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  if (rows.length === 0) return null;
  return (
    <Notice tone="warning" title={title}>
      <ul
        aria-label={title}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keyboard
        tabIndex={0}
        className="mt-1 grid max-h-40 gap-1.5 overflow-y-auto"
      >
        {rows.map((row) => (
          <li key={row.id} className="break-words">
            {name(row)} :{' '}
            {reasons(row)
              .map((one) => t(standingSentence(one, sendsMail)))
              .join(' ')}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function keyOf(one: Standing): string {
  return one.code === 'case' ? one.caseId : one.code;
}

/** Where it is settled; null where the record itself says it. */
function placeOf(one: Standing): { search: string } | null {
  if (one.code === 'case') return { search: `?section=cas-douteux&cas=${one.caseId}` };
  if (one.code === 'batch') return { search: `?section=virements&virement=${one.batchId}` };
  return null;
}

function wayOf(one: Standing): string {
  return one.code === 'batch' ? 'Voir le virement' : 'Voir les raisons';
}
