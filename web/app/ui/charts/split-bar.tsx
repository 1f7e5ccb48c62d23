import { shareOf } from './share.ts';

/** One part of the whole: its size, and the class of its colour. */
export interface SplitPart {
  value: bigint;
  color: string;
}

/** A whole as one thin bar of its parts, for the eye alone: the values stand beneath, each with a dot of its colour. */
export function SplitBar({ parts }: { parts: readonly SplitPart[] }) {
  const seen = parts.filter(({ value }) => value > 0n);
  const whole = seen.reduce((sum, { value }) => sum + value, 0n);
  return (
    <div aria-hidden className="flex h-1.5 gap-px bg-well">
      {seen.map(({ value, color }) => (
        // A small part is seen beside a large one.
        <span key={color} className={color} style={{ flexGrow: shareOf(value, whole), minWidth: '0.75rem' }} />
      ))}
    </div>
  );
}
