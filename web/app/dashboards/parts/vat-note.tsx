import type { Cents } from '@parrain/domain/money';
import { vatSentence, type Vat } from '@parrain/domain/vat';
import clsx from 'clsx';
import { useTranslation } from 'react-i18next';

/** « + 20,00 € de TVA (20 %), 120,00 € en tout », beside a sum before tax; nothing where there is no VAT (PP-02). */
export function VatNote({ amount, vat, className = 'w-44' }: { amount: Cents; vat: Vat | null; className?: string }) {
  const { t } = useTranslation();
  return (
    vat && (
      <span
        className={clsx(
          'ml-auto block text-right text-sm font-normal text-balance whitespace-normal text-encre-soft',
          className,
        )}
      >
        {t(vatSentence(amount, vat))}
      </span>
    )
  );
}
