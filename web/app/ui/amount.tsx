import clsx from 'clsx';

export interface AmountProps {
  /** Integer cents. */
  cents: bigint;
  /** Shows a plus before what comes in. */
  signed?: boolean | undefined;
  className?: string | undefined;
}

/** An amount in euros, exact, on one line; the cents and the € smaller than the euros. Read aloud as one number. */
export function Amount({ cents, signed = false, className }: AmountProps) {
  const parts = formatter(signed).formatToParts(decimalText(cents));
  const pointAt = parts.findIndex((part) => part.type === 'decimal');
  return (
    <span className={clsx('tabular-digits', className)}>
      {textOf(parts.slice(0, pointAt))}
      <span className="text-[0.86em] font-normal">{textOf(parts.slice(pointAt))}</span>
    </span>
  );
}

/** The minus of French typography is U+2212. */
function textOf(parts: readonly Intl.NumberFormatPart[]): string {
  return parts.map((part) => (part.type === 'minusSign' ? '−' : part.value)).join('');
}

/** Cents to a decimal that Intl reads digit by digit: no float on the way. */
function decimalText(cents: bigint): Intl.StringNumericLiteral {
  const absolute = cents < 0n ? -cents : cents;
  const text = `${cents < 0n ? '-' : ''}${absolute / 100n}.${String(absolute % 100n).padStart(2, '0')}`;
  return text as Intl.StringNumericLiteral;
}

const plain = new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR' });
const withSign = new Intl.NumberFormat('fr-FR', { style: 'currency', currency: 'EUR', signDisplay: 'exceptZero' });

function formatter(signed: boolean): Intl.NumberFormat {
  return signed ? withSign : plain;
}
