import { Download, Table2 } from 'lucide-react';
import { useId, useRef, useState, type ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Menu } from '../menu.tsx';
import { csvOf, download, pngOf, standaloneSvg, type Cell } from './download.ts';

export interface FigureProps {
  title: string;
  /** Of its heading: 4 under a block's own heading (the default), 3 in a section by itself. */
  level?: 3 | 4 | undefined;
  /** Sentence on what the drawing shows: also its name for assistive tools. */
  summary: string;
  /** The table twin: the same values, all of them. */
  head: readonly string[];
  rows: readonly (readonly { text: ReactNode; cell: Cell }[])[];
  /** The downloaded file's name, without its ending. */
  fileName: string;
  /** The drawing; an `<svg>` with a viewBox inside it can be exported. */
  children: ReactNode;
  note?: ReactNode;
}

/** A chart with its name, its summary, its table twin and its exports. */
export function Figure({ title, level = 4, summary, head, rows, fileName, children, note }: FigureProps) {
  const drawing = useRef<HTMLDivElement>(null);
  const [isTable, setIsTable] = useState(false);
  const titleId = useId();
  const Heading = `h${level}` as const;
  const svg = () => {
    const found = drawing.current?.querySelector<SVGSVGElement>('svg[data-chart]');
    return found ? standaloneSvg(found) : undefined;
  };
  const exports = [
    {
      id: 'csv',
      label: 'CSV',
      onSelect: () => {
        const content = csvOf(
          head,
          rows.map((row) => row.map(({ cell }) => cell)),
        );
        download(`${fileName}.csv`, new Blob([content], { type: 'text/csv;charset=utf-8' }));
      },
    },
    {
      id: 'svg',
      label: 'SVG',
      disabled: isTable,
      onSelect: () => {
        const text = svg();
        if (text !== undefined) download(`${fileName}.svg`, new Blob([text], { type: 'image/svg+xml' }));
      },
    },
    {
      id: 'png',
      label: 'PNG',
      disabled: isTable,
      onSelect: () => {
        const text = svg();
        if (text !== undefined) void pngOf(text).then((blob) => download(`${fileName}.png`, blob));
      },
    },
  ];
  return (
    <figure aria-labelledby={titleId} className="min-w-0 rounded-card border border-hairline bg-sheet p-4 sm:p-5">
      <figcaption className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <Heading id={titleId} className="min-w-0 text-base">
          {title}
        </Heading>
        {/* Under both where they share a line: a column beside the buttons would be too narrow to read. */}
        <p className="basis-full text-sm wrap-anywhere text-encre-soft sm:order-last">{summary}</p>
        <div className="-mx-3 flex gap-1">
          <Button
            size="sm"
            variant="quiet"
            icon={<Table2 aria-hidden />}
            aria-pressed={isTable}
            aria-label={`Tableau : ${title}`}
            onClick={() => setIsTable(!isTable)}
          >
            Tableau
          </Button>
          <Menu
            trigger={
              <Button size="sm" variant="quiet" icon={<Download aria-hidden />} aria-label={`Exporter : ${title}`}>
                Exporter
              </Button>
            }
            items={exports}
          />
        </div>
      </figcaption>
      <div ref={drawing} className="mt-3 min-w-0">
        {isTable ? <TableTwin title={title} head={head} rows={rows} /> : children}
      </div>
      {note && <p className="mt-2 text-sm text-encre-faint">{note}</p>}
    </figure>
  );
}

function TableTwin({ title, head, rows }: Pick<FigureProps, 'title' | 'head' | 'rows'>) {
  return (
    // As high as twelve months: the last of them, which are asked for most, stand in sight.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
    <div role="region" aria-label={title} tabIndex={0} className="max-h-120 overflow-auto">
      <table className="w-full text-sm">
        <thead>
          <tr>
            {head.map((label, index) => (
              <th key={label} scope="col" className={cellClass(index, 'font-medium text-encre-soft')}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // A row of a figure has no identity but its place.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={at} className="border-t border-hairline">
              {row.map(({ text }, index) =>
                index === 0 ? (
                  <th key={head[index]} scope="row" className={cellClass(index, 'font-normal')}>
                    {text}
                  </th>
                ) : (
                  <td key={head[index]} className={cellClass(index, 'tabular-digits whitespace-nowrap')}>
                    {text}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function cellClass(index: number, more: string): string {
  return `px-1 py-1.5 sm:px-2 ${index === 0 ? 'text-left' : 'text-right'} ${more}`;
}
