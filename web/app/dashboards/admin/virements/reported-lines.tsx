import { sum } from '@parrain/domain/money';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ReportedLine } from '#api/payments/batch-acts';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { LineStatusBadge } from './batch-status.tsx';

export interface ReportedLinesProps {
  lines: readonly ReportedLine[];
  /** Set where the file speaks of several batches. */
  isNamed: boolean;
  /** The day of those whose day the file does not say. */
  children?: ReactNode;
}

/** Lines of one batch, as a bank's file would change them. */
export function ReportedLines({ lines, isNamed, children }: ReportedLinesProps) {
  const { t } = useTranslation();
  return (
    <section className="flex flex-col gap-3">
      {isNamed && (
        <h3 className="flex flex-wrap items-baseline justify-between gap-x-4 font-medium">
          {t('Virement n° {{number}}', { number: lines[0]?.batchNumber })}
          <Amount cents={sum(lines.map((line) => line.amount))} className="text-sm text-encre-soft" />
        </h3>
      )}
      <ul className="max-h-72 divide-y divide-hairline overflow-y-auto rounded-field border border-hairline px-4">
        {lines.map((line) => (
          <li key={line.requestId} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
            <span className="min-w-0 break-words">
              {line.clientName}
              {line.reason && <span className="block text-sm text-encre-soft">{line.reason}</span>}
              {line.day && (
                <span className="block text-sm text-encre-soft">
                  <DateText value={line.day} />
                </span>
              )}
            </span>
            <span className="flex items-center gap-3">
              <Amount cents={line.amount} className="font-medium" />
              <LineStatusBadge status={line.status} />
            </span>
          </li>
        ))}
      </ul>
      {children}
    </section>
  );
}
