import type { ReactNode } from 'react';
import { greatest, shareOf } from './share.ts';

export interface Bar {
  id: string;
  label: string;
  value: bigint;
  /** The value as it reads: an `<Amount>`, « 24 · 32 % ». */
  text: ReactNode;
  /** The same in plain words, for the drawing that is exported. */
  words: string;
  /** A second line: what leads to this step from the one before. */
  detail?: string | undefined;
  onOpen?: (() => void) | undefined;
}

const line = { width: 640, height: 44, detail: 22 };

/** Values one under the other, each with its bar: a ranking, or the steps of a funnel. A real list; the drawing is for export. */
export function Bars({ bars }: { bars: readonly Bar[] }) {
  const most = greatest(bars.map(({ value }) => value));
  const step = line.height + (bars.some(({ detail }) => detail !== undefined) ? line.detail : 0);
  return (
    <>
      <ol className="flex flex-col gap-2.5">
        {bars.map((bar) => (
          <li key={bar.id}>
            <p className="flex flex-wrap items-baseline justify-between gap-x-3">
              {bar.onOpen ? (
                <button
                  type="button"
                  onClick={bar.onOpen}
                  className="tap-target min-w-0 text-left wrap-anywhere underline decoration-hairline underline-offset-4 hover:decoration-current"
                >
                  {bar.label}
                </button>
              ) : (
                <span className="min-w-0 wrap-anywhere">{bar.label}</span>
              )}
              <span className="tabular-digits ml-auto font-medium whitespace-nowrap">{bar.text}</span>
            </p>
            <svg aria-hidden viewBox="0 0 100 2" preserveAspectRatio="none" className="mt-1 block h-2 w-full">
              <rect width={100} height={2} className="fill-well" />
              <rect width={shareOf(bar.value, most) * 100} height={2} className="fill-sapin" />
            </svg>
            {bar.detail !== undefined && <p className="mt-0.5 text-sm wrap-anywhere text-encre-soft">{bar.detail}</p>}
          </li>
        ))}
      </ol>
      <div className="sr-only">
        <svg data-chart aria-hidden viewBox={`0 0 ${line.width} ${bars.length * step + 16}`} className="text-sm">
          {bars.map((bar, index) => (
            <g key={bar.id}>
              <text x={8} y={index * step + 24} className="fill-encre">
                {bar.label}
              </text>
              <text x={line.width - 8} y={index * step + 24} textAnchor="end" className="fill-encre">
                {bar.words}
              </text>
              <rect
                x={8}
                y={index * step + 32}
                width={shareOf(bar.value, most) * (line.width - 16)}
                height={8}
                className="fill-sapin"
              />
              {bar.detail !== undefined && (
                <text x={8} y={index * step + 56} className="fill-encre-soft">
                  {bar.detail}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
    </>
  );
}
