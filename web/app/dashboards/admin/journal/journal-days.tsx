import { auditSentence } from '@parrain/domain/audit-words';
import { formatDay, formatTime } from '@parrain/domain/date';
import clsx from 'clsx';
import type { AuditEntry } from '#api/company/audit-entries';
import { rowBoxClass, RowButton } from '#ui/data-table-rows';

export interface JournalDaysProps {
  caption: string;
  entries: readonly AuditEntry[];
  onOpen: (entry: AuditEntry) => void;
  hrefOf: (entry: AuditEntry) => string;
}

/** The entries of a page, one line each, under their days in France. */
export function JournalDays({ caption, entries, onOpen, hrefOf }: JournalDaysProps) {
  return (
    <table className="w-full table-fixed border-separate border-spacing-0">
      <caption className="sr-only">{caption}</caption>
      <colgroup>
        <col className="w-16 sm:w-18" />
        <col />
      </colgroup>
      {byDay(entries).map(([day, ofDay]) => (
        <tbody key={day}>
          <tr>
            <th
              scope="rowgroup"
              colSpan={2}
              className="sticky top-(--sticky-top) z-10 border-b border-hairline bg-papier px-4 text-left sm:px-5"
            >
              <h3 className="py-1.5 text-sm first-letter:uppercase">{day}</h3>
            </th>
          </tr>
          {ofDay.map((entry) => (
            <tr key={entry.id} className={clsx(rowBoxClass, 'group hover:bg-papier')}>
              <td className="border-b border-hairline py-1.5 pl-4 align-baseline sm:pl-5">
                <time dateTime={entry.at} className="tabular-digits text-sm text-encre-faint">
                  {formatTime(entry.at)}
                </time>
              </td>
              <th
                scope="row"
                className="border-b border-hairline px-3 py-1.5 text-left align-baseline font-normal sm:pr-5"
              >
                <RowButton row={entry} link={{ onOpen, href: hrefOf }}>
                  <span className="block font-normal wrap-anywhere">
                    <Sentence entry={entry} />
                  </span>
                </RowButton>
                {entry.reason !== null && (
                  <span className="block text-sm wrap-anywhere text-encre-soft">«&nbsp;{entry.reason}&nbsp;»</span>
                )}
              </th>
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

/** The actor's name leads. */
function Sentence({ entry }: { entry: AuditEntry }) {
  const sentence = auditSentence(entry, entry.subject);
  const { actorName } = entry;
  if (actorName === null) return sentence;
  return (
    <>
      <span className="font-medium">{actorName}</span>
      {sentence.slice(actorName.length)}
    </>
  );
}

function byDay(entries: readonly AuditEntry[]): readonly (readonly [string, readonly AuditEntry[]])[] {
  const days = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const day = formatDay(entry.at);
    const ofDay = days.get(day);
    if (ofDay) ofDay.push(entry);
    else days.set(day, [entry]);
  }
  return [...days];
}
