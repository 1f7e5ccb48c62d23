import { saleState, type Sale } from '@parrain/domain/sale';
import { useTranslation } from 'react-i18next';
import { Explain } from '#ui/explain';
import { Skeleton } from '#ui/skeleton';
import { lazyPart } from '#ui/lazy-part';

const CommissionWhy = lazyPart(() => import('./commission-why.tsx'), <Skeleton className="h-24 w-60" />);

export type CommissionExplainProps = {
  /** Side whose commission is questioned. */
  side: 'client' | 'commercial';
  /** Tells the sale from others where it is not on screen: the day of its line. */
  of?: string | undefined;
} & (
  | { sale: Sale }
  /** Id alone, where the sale itself is not on screen. */
  | { saleId: string }
);

/** « Pourquoi ? » beside a commission (LG-05): contract, scale as the sale keeps it (S-12), rounding, hold, corrections. Nothing where no scale is known yet. */
export function CommissionExplain({ side, of, ...which }: CommissionExplainProps) {
  const { t } = useTranslation();
  const sale = 'sale' in which ? which.sale : undefined;
  if (sale && (sale.scale === null || sale.contractAmount === null)) return null;
  return (
    <Explain
      title={sale ? titleOf(sale, t) : t('Calcul de la commission')}
      of={sale ? `${t(`part ${side}`)}, ${sale.referredContactName}` : of}
    >
      <CommissionWhy saleId={'sale' in which ? which.sale.id : which.saleId} sale={sale} side={side} />
    </Explain>
  );
}

/** The same of both commissions of a sale, where one figure has them together. */
export function BothCommissionsExplain({ sale }: { sale: Sale }) {
  const { t } = useTranslation();
  if (sale.scale === null || sale.contractAmount === null) return null;
  return (
    <Explain isSign title={titleOf(sale, t)} of={sale.referredContactName}>
      {(['client', 'commercial'] as const).map((side) => (
        <section key={side} className="not-first:mt-3 not-first:border-t not-first:border-hairline not-first:pt-3">
          <h3 className="font-sans text-sm font-medium tracking-normal text-encre">{t(`Commission ${side}`)}</h3>
          <CommissionWhy saleId={sale.id} sale={sale} side={side} />
        </section>
      ))}
    </Explain>
  );
}

function titleOf(sale: Sale, t: (key: string) => string): string {
  switch (saleState(sale)) {
    case 'validated':
      return t('Calcul retenu à la validation');
    case 'correction':
      return t('Correction d’un contrat');
    default:
      return t('Prévision, selon le barème en vigueur');
  }
}
