import { sum } from '@parrain/domain/money';
import { correctionLabel, type Sale } from '@parrain/domain/sale';
import { useEffect, useEffectEvent } from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Amount } from '#ui/amount';
import { DateText } from '#ui/date';
import { useCompanyName } from '../../parts/use-company-name.ts';
import '../../parts/print-alone.css';

export interface ContractsStatementProps {
  contracts: readonly Sale[];
  clientName: string;
  /** Instant at which the contracts were read. */
  at: string;
  onPrinted: () => void;
}

/** The statement of the validated contracts (CL-05), on paper alone: it asks the browser to print as soon as it stands. */
export function ContractsStatement({ contracts, clientName, at, onPrinted }: ContractsStatementProps) {
  const { t } = useTranslation();
  const companyName = useCompanyName();
  const forget = useEffectEvent(onPrinted);
  // The printer is outside React: it starts once the statement is laid out, and says when its window is closed.
  useEffect(() => {
    const starting = setTimeout(() => window.print(), 50);
    const printed = () => forget();
    window.addEventListener('afterprint', printed);
    return () => {
      clearTimeout(starting);
      window.removeEventListener('afterprint', printed);
    };
  }, []);
  return createPortal(
    <article data-print className="hidden print:block">
      <header className="mb-6 flex items-start justify-between gap-6 border-b pb-4">
        <div>
          <p className="font-heading text-lg font-semibold">{companyName}</p>
          <h1 className="text-xl">{t('Relevé des contrats validés')}</h1>
        </div>
        <p className="text-right text-sm">
          {clientName}
          <br />
          {t('Édité le')} <DateText value={at} />
        </p>
      </header>
      <table className="w-full text-left text-sm">
        <thead>
          <tr className="border-b">
            <th scope="col" className="py-2 pr-3">
              {t('Contact')}
            </th>
            <th scope="col" className="px-3 py-2">
              {t('Commercial')}
            </th>
            <th scope="col" className="px-3 py-2">
              {t('Validé le')}
            </th>
            <th scope="col" className="px-3 py-2 text-right">
              {t('Montant')}
            </th>
            <th scope="col" className="py-2 pl-3 text-right">
              {t('Commission')}
            </th>
          </tr>
        </thead>
        <tbody>
          {contracts.map((sale) => (
            <tr key={sale.id} className="break-inside-avoid border-b">
              <th scope="row" className="py-2 pr-3 text-left font-normal">
                {sale.referredContactName}
                {sale.correctsSaleId !== null && <span className="block">{t(correctionLabel(sale))}</span>}
              </th>
              <td className="px-3 py-2">{sale.commercialName ?? '—'}</td>
              <td className="px-3 py-2 whitespace-nowrap">
                <DateText value={sale.validatedAt} />
              </td>
              <td className="px-3 py-2 text-right">
                <Amount cents={sale.contractAmount ?? 0n} />
              </td>
              <td className="py-2 pl-3 text-right">
                <Amount cents={sale.clientCommissionAmount ?? 0n} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" colSpan={3} className="py-3 pr-3 text-left">
              {t('Total')}
            </th>
            <td className="px-3 py-3 text-right">
              <Amount cents={sum(contracts.map((sale) => sale.contractAmount ?? 0n))} />
            </td>
            <td className="py-3 pl-3 text-right">
              <Amount cents={sum(contracts.map((sale) => sale.clientCommissionAmount ?? 0n))} />
            </td>
          </tr>
        </tfoot>
      </table>
    </article>,
    document.body,
  );
}
