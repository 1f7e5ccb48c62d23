import type { ReactNode } from 'react';
import { Explain } from '#ui/explain';

export interface SumLine {
  label: string;
  /** React key of a line whose label another line shares. */
  key?: string;
  value: ReactNode;
}

export interface SumExplainProps {
  title: string;
  /** Tells it from another of the same title, to whoever hears their names alone. */
  of?: string | undefined;
  /** The rule, in a sentence. */
  children?: ReactNode;
  /** The terms, in their order; what is taken off is negative. */
  lines?: readonly SumLine[] | undefined;
  /** Their sum: the figure on the card. */
  result?: SumLine | undefined;
}

/** « Pourquoi ? » under a figure: the rule, then the terms that add up to it. Above the card's own way to its rows. */
export function SumExplain({ title, of, children, lines, result }: SumExplainProps) {
  return (
    <span className="relative z-1 -ml-1">
      <Explain title={title} of={of}>
        {children}
        {result && <SumLines lines={lines ?? []} result={result} />}
      </Explain>
    </span>
  );
}

/** Terms under one another, then what they add up to. */
export function SumLines({ lines, result }: { lines: readonly SumLine[]; result: SumLine }) {
  return (
    <span className="mt-2 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
      {lines.map(({ key, ...line }) => (
        <Line key={key ?? line.label} {...line} />
      ))}
      <Line {...result} className="border-t border-hairline pt-1 font-medium text-encre" />
    </span>
  );
}

function Line({ label, value, className = '' }: SumLine & { className?: string }) {
  return (
    <>
      <span className={className}>{label}</span>
      <span className={`tabular-digits text-right whitespace-nowrap ${className}`}>{value}</span>
    </>
  );
}
