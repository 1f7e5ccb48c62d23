import type { SaleAudience } from '@parrain/domain/sale';
import { useEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Amount } from '#ui/amount';
import '../print-alone.css';
import { countWords, rowName, statusWord } from './row-words.ts';
import type { TreeRow } from './tree-rows.ts';

/** The open rows on paper, all of them: on screen only those in sight are in the page. */
export function NetworkPaper({
  rows,
  rootName,
  audience,
}: {
  rows: readonly TreeRow[];
  rootName: string;
  audience: SaleAudience;
}) {
  const { t } = useTranslation();
  const [isPrinting, setPrinting] = useState(false);
  // The printer is outside React, and waits for nothing.
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, []);
  if (!isPrinting) return null;
  return createPortal(
    <article data-print className="hidden print:block">
      <h1 className="mb-4 text-xl">{t('Réseau : {{name}}', { name: rootName })}</h1>
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="border-b">
            <th scope="col" className="py-2 pr-3">
              {t('Nom')}
            </th>
            <th scope="col" className="px-3 py-2 text-right">
              {t('Chiffre d’affaires')}
            </th>
            <th scope="col" className="py-2 pl-3 text-right">
              {t('Commissions')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} className="break-inside-avoid border-b">
              <th
                scope="row"
                className="py-1.5 pr-3 text-left font-normal"
                style={{ paddingInlineStart: `${row.level - 1}rem` }}
              >
                <span className="font-medium">{rowName(row, rootName)}</span>{' '}
                {[statusWord(row, audience), countWords(row)]
                  .filter((word) => word !== null && word !== '')
                  .join(' · ')}
              </th>
              <td className="px-3 py-1.5 text-right">{row.totals && <Amount cents={row.totals.revenue} />}</td>
              <td className="py-1.5 pl-3 text-right">{row.totals && <Amount cents={row.totals.commissions} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </article>,
    document.body,
  );
}
