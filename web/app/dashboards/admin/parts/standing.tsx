import { stops, type Decision, type Standing } from '@parrain/domain/standing';
import { standingLabel, standingSentence } from '@parrain/domain/standing-words';
import { TriangleAlert } from 'lucide-react';
import { Fragment, type ReactNode } from 'react';
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
  clientId,
}: {
  standing: readonly Standing[] | undefined;
  decision: Decision;
  /** Client who asks to be paid, where there is one. */
  clientId?: string;
}) {
  const { t } = useTranslation();
  if (standing === undefined || standing.length === 0) return null;
  const isStopped = standing.some((one) => stops(one, decision));
  return (
    <Notice tone="warning" title={isStopped ? t('Ce qui l’empêche') : t('À savoir avant de décider')}>
      <ul className="grid gap-1">
        {standing.map((one) => (
          <li key={keyOf(one)} className="break-words">
            <Reason one={one} clientId={clientId} />
          </li>
        ))}
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
  reasons: (row: Row) => ReactNode;
}) {
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
            {name(row)} : {reasons(row)}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** UI-01: the reasons of one row in a line, each with the way to where it is settled. */
export function StandingReasons({ standing, clientId }: { standing: readonly Standing[]; clientId?: string }) {
  return standing.map((one, place) => (
    <Fragment key={keyOf(one)}>
      {place > 0 && ' '}
      <Reason one={one} clientId={clientId} />
    </Fragment>
  ));
}

function keyOf(one: Standing): string {
  return one.code === 'case' ? one.caseId : one.code;
}

function Reason({ one, clientId }: { one: Standing; clientId: string | undefined }) {
  const { t } = useTranslation();
  const sendsMail = useSendsMail();
  const way = wayOf(one, clientId);
  return (
    <>
      {t(standingSentence(one, sendsMail))}
      {way !== null && (
        <>
          {' '}
          <PlaceLink to={{ search: way.search }}>{t(way.words)}</PlaceLink>
        </>
      )}
    </>
  );
}

/** Link to the place where it is settled; null where the record itself says it. */
function wayOf(one: Standing, clientId: string | undefined): { words: string; search: string } | null {
  switch (one.code) {
    case 'case':
      return { words: 'Voir les raisons', search: `?section=cas-douteux&cas=${one.caseId}` };
    case 'batch':
      return { words: 'Voir le virement', search: `?section=virements&virement=${one.batchId}` };
    case 'closed':
    case 'debt':
    case 'incomplete':
    case 'abroad':
      return clientId === undefined ? null : { words: 'Voir sa fiche', search: `?section=clients&client=${clientId}` };
    case 'iban':
    case 'shared_iban':
    case 'vat':
    case 'invoice':
      return null;
  }
}
