import { useState, useSyncExternalStore } from 'react';
import { greatest, shareOf } from './share.ts';
import { ticks } from './ticks.ts';

export interface ColumnPoint {
  /** « nov. 26 ». */
  label: string;
  value: bigint;
  /** The same month a year earlier. */
  before: bigint;
  /** All of it in words: « novembre 2026 : 12 345 €, 9 876 € un an plus tôt ». */
  words: string;
}

export interface ColumnsProps {
  points: readonly ColumnPoint[];
  /** The name of the axis' selector: « Mois ». */
  label: string;
  /** A short form of an axis value: « 150 k€ ». */
  axisText: (value: bigint) => string;
  /** Label of the dashed mark, in the legend: « Un an plus tôt ». */
  beforeLabel?: string | undefined;
}

/** Drawn for a column of the dashboard, and no wider: its letters would grow with it. */
const wide = { width: 460, height: 210, left: 52, bottom: 24, top: 8 };
/** Half of the widest label: the last one stays inside. */
const LABEL_HALF = 24;
/** Of the selector, in pixels, as `slim-range` draws it. */
const THUMB = 16;
const phone = { width: 340, height: 220, left: 48, bottom: 24, top: 8 };

/** Columns month by month, a dashed mark for the year before; the selector under them says each month, by keyboard too. */
export function Columns({ points, label, axisText, beforeLabel }: ColumnsProps) {
  const narrow = useSyncExternalStore(onNarrow, isNarrow, () => false);
  const [chosen, setChosen] = useState<number>();
  const { width, height, left, bottom, top } = narrow ? phone : wide;
  const lines = ticks(greatest(points.flatMap(({ value, before }) => [value, before])));
  const highest = lines.at(-1) ?? 0n;
  const base = height - bottom;
  const y = (value: bigint) => base - shareOf(value, highest) * (base - top);
  const step = (width - left) / Math.max(points.length, 1);
  const each = Math.ceil(points.length / (narrow ? 4 : 6));
  const at = Math.min(chosen ?? points.length - 1, points.length - 1);
  return (
    <div className="mx-auto max-w-xl">
      <svg data-chart aria-hidden viewBox={`0 0 ${width} ${height}`} className="block w-full text-xs">
        {lines.map((line) => (
          <g key={String(line)}>
            <line x1={left} x2={width} y1={y(line)} y2={y(line)} className="stroke-hairline" />
            <text x={left - 6} y={y(line) + 4} textAnchor="end" className="fill-encre-faint">
              {axisText(line)}
            </text>
          </g>
        ))}
        {points.map((point, index) => {
          const x = left + index * step;
          const size = Math.min(step * 0.62, 44);
          const start = x + (step - size) / 2;
          return (
            <g key={point.label} onPointerEnter={() => setChosen(index)}>
              <rect
                x={x}
                y={top}
                width={step}
                height={base - top}
                className={index === at ? 'fill-well' : 'fill-transparent'}
              />
              <rect
                x={start}
                y={y(point.value)}
                width={size}
                height={Math.max(base - y(point.value), 0)}
                rx={2}
                className="fill-sapin"
              />
              {point.before > 0n && <BeforeMark x={start - 3} y={y(point.before)} width={size + 6} />}
              {index % each === 0 && (
                <text
                  x={Math.min(x + step / 2, width - LABEL_HALF)}
                  y={height - 7}
                  textAnchor="middle"
                  className="fill-encre-faint"
                >
                  {point.label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {points.length > 1 && (
        <input
          type="range"
          min={0}
          max={points.length - 1}
          value={at}
          aria-label={label}
          aria-valuetext={points[at]?.words}
          onChange={(event) => setChosen(Number.parseInt(event.target.value, 10))}
          // Its thumb stands under the column that it names.
          style={{
            marginLeft: `calc(${((left + step / 2) / width) * 100}% - ${THUMB / 2}px)`,
            width: `calc(${(((points.length - 1) * step) / width) * 100}% + ${THUMB}px)`,
          }}
          className="slim-range block"
        />
      )}
      {points.some(({ before }) => before > 0n) && (
        <p aria-hidden className="flex items-center gap-2 text-sm text-encre-soft">
          <svg viewBox="0 0 26 8" className="h-2 w-6.5">
            <BeforeMark x={0} y={4} width={26} />
          </svg>
          {beforeLabel}
        </p>
      )}
      <p aria-hidden className="min-h-6 text-sm text-encre-soft tabular-nums">
        {points[at]?.words}
      </p>
    </div>
  );
}

/** The year before, on a ground of its own: over a column its dashes alone would be 1.2:1 (DF-81). */
function BeforeMark({ x, y, width }: { x: number; y: number; width: number }) {
  const ends = { x1: x, x2: x + width, y1: y, y2: y };
  return (
    <>
      <line {...ends} strokeWidth={6} className="stroke-sheet" />
      <line {...ends} strokeWidth={2} strokeDasharray="4 3" className="stroke-corail" />
    </>
  );
}

const narrowQuery = '(max-width: 639px)';

function isNarrow(): boolean {
  return window.matchMedia(narrowQuery).matches;
}

function onNarrow(onChange: () => void): () => void {
  const query = window.matchMedia(narrowQuery);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}
