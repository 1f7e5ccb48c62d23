import { greatest, shareOf } from './share.ts';

export interface CurvePoint {
  readonly at: bigint;
  readonly value: bigint;
}

export interface CurveProps {
  /** All that the drawing says, in words. */
  label: string;
  /** Rising in `at`. */
  points: readonly CurvePoint[];
  /** A point of the curve that is spoken of. */
  mark?: CurvePoint | undefined;
  /** Under its beginning, its middle and its end. */
  captions: readonly [string, string, string];
}

const tenth = (length: number) => Math.round(length * 10) / 10;

const size = { width: 300, height: 72, margin: 5 };

/** A small line without axes: how a figure rises with another. */
export function Curve({ label, points, mark, captions }: CurveProps) {
  const end = greatest(points.map(({ at }) => at));
  const most = greatest(points.map(({ value }) => value));
  const base = size.height - size.margin;
  const start = points[0]?.at ?? 0n;
  const x = (at: bigint) => size.margin + shareOf(at - start, end - start) * (size.width - 2 * size.margin);
  const y = (value: bigint) => base - shareOf(value, most) * (size.height - 2 * size.margin);
  const line = points.map(({ at, value }) => `${tenth(x(at))},${tenth(y(value))}`).join(' ');
  return (
    <div className="max-w-xl">
      <svg role="img" aria-label={label} viewBox={`0 0 ${size.width} ${size.height}`} className="block w-full">
        <line x1={size.margin} x2={size.width - size.margin} y1={base} y2={base} className="stroke-hairline" />
        <polyline points={line} fill="none" strokeWidth={2} strokeLinejoin="round" className="stroke-sapin" />
        {mark && <circle cx={x(mark.at)} cy={y(mark.value)} r={4} className="fill-sapin" />}
      </svg>
      <p aria-hidden className="flex justify-between gap-2 text-xs text-encre-faint">
        {captions.map((caption) => (
          <span key={caption}>{caption}</span>
        ))}
      </p>
    </div>
  );
}
