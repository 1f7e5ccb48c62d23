import clsx from 'clsx';

export interface AmountProps {
  /** Integer cents. */
  cents: bigint;
  /** Shows a plus before what comes in. */
  signed?: boolean | undefined;
  className?: string | undefined;
}

/**
 * An amount in euros, exact, on one line; the cents and the € smaller than the euros. Read aloud as one number (DF-83): screen readers
 * take « 1 359,68 » for a number with ordinary spaces alone, and say the typographic minus in English.
 */
export function Amount({ cents, signed = false, className }: AmountProps) {
  const parts = formatter(signed).formatToParts(decimalText(cents));
  const pointAt = parts.findIndex((part) => part.type === 'decimal');
  const euros = parts.slice(0, pointAt).filter(({ type }) => type !== 'minusSign');
  return (
    <span className={clsx('tabular-digits whitespace-nowrap [word-spacing:-0.06em]', className)}>
      {cents < 0n && <Minus />}
      {euros.map(({ type, value }) => (type === 'group' ? ' ' : value)).join('')}
      <span className="text-[0.86em] font-normal">
        {parts
          .slice(pointAt)
          .map(({ value }) => value)
          .join('')}
      </span>
    </span>
  );
}

/** The minus of French typography, U+2212, is seen; « moins » is heard, and is no text of the page. */
function Minus() {
  return (
    <>
      <span aria-hidden>−</span>
      <span className="-mr-px inline-block size-px overflow-hidden align-bottom before:content-['moins_']" />
    </>
  );
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
