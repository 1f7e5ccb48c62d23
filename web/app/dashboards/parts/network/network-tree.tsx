import type { SaleAudience } from '@parrain/domain/sale';
import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import clsx from 'clsx';
import {
  BriefcaseBusiness,
  Building2,
  ChevronRight,
  CircleSlash,
  LoaderCircle,
  UserRound,
  UserRoundPlus,
} from 'lucide-react';
import { memo, useCallback, useEffect, useEffectEvent, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { RecordLink } from '#ui/record-link';
import { SaleStatus } from '../sale-status.tsx';
import { countWords, rowName, spokenAfterName } from './row-words.ts';
import { moveOf, rootKey, type TreeRow } from './tree-rows.ts';

export interface NetworkTreeProps {
  rows: readonly TreeRow[];
  rootName: string;
  audience: SaleAudience;
  /** The key of the row that the keyboard is on. */
  focused: string;
  /** The panel of that row was closed: the keyboard comes back to it. */
  isBack: boolean;
  /** True of an open row whose branch is still on its way. */
  isReading: (row: TreeRow) => boolean;
  onFocus: (key: string) => void;
  onChange: (kind: 'open' | 'close', keys: readonly string[]) => void;
  /** The panel of a row's person or referral; null where it has none. */
  panelOf: (row: TreeRow) => RowPanel | null;
}

export interface RowPanel {
  href: string;
  open: () => void;
}

const rowHeight = 64;
/** Letters typed within this are one word. */
const wordMs = 700;

/**
 * A tree whose rows come into the page as they come into sight. One row is reached by Tab; arrows, Home, End, letters and « * »
 * move and open, and whoever listens is told each row's place. A name, or Enter, leads to its panel.
 */
export function NetworkTree({
  rows,
  rootName,
  audience,
  focused,
  isBack,
  isReading,
  onFocus,
  onChange,
  panelOf,
}: NetworkTreeProps) {
  const { t } = useTranslation();
  const keysId = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const typed = useRef({ text: '', at: 0 });
  const hasFocus = useRef(false);
  // The rows come into the page after the tree.
  const isAwaited = useRef(isBack);
  const takeFocus = useCallback((row: HTMLElement | null) => {
    if (row === null || !isAwaited.current) return;
    isAwaited.current = false;
    row.focus({ preventScroll: true });
  }, []);
  const place = rows.findIndex((row) => row.key === focused);
  // A row that went with its branch leaves the keyboard on the first one.
  const current = Math.max(0, place);
  // Its functions change with the scroll: they are called here and given to no other component.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    // The row that has the focus stays in the page, wherever it is scrolled.
    rangeExtractor: (range: Range) => {
      const inSight = defaultRangeExtractor(range);
      if (inSight.includes(current)) return inSight;
      return [...inSight, current].toSorted((one, other) => one - other);
    },
  });
  const show = useEffectEvent((index: number, isAsked: boolean) => {
    virtual.scrollToIndex(index, { align: 'auto' });
    if (isAsked)
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true });
  });
  const isThere = place >= 0;
  const asked = useRef(rootKey);
  // The scroll and the focus are the document's. Somebody found by the search, or left for their panel, is shown when their branch
  // has come.
  useEffect(() => {
    if (!isThere || asked.current === focused) return;
    asked.current = focused;
    show(current, hasFocus.current);
  }, [focused, isThere, current]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const panel = event.key === 'Enter' && rows[current] ? panelOf(rows[current]) : null;
    if (panel !== null) return panel.open();
    const isLetter = event.key.length === 1 && /[\p{L}\p{N}]/u.test(event.key);
    if (isLetter) {
      const isSoon = event.timeStamp - typed.current.at < wordMs;
      const text = (isSoon ? typed.current.text : '') + event.key.toLocaleLowerCase('fr-FR');
      typed.current = { text, at: event.timeStamp };
    }
    const word = isLetter ? typed.current.text : '';
    const move = moveOf(event.key, rows, rows[current]?.key ?? '', word, (row) =>
      rowName(row, rootName).toLocaleLowerCase('fr-FR'),
    );
    if (move.kind === 'none') return;
    event.preventDefault();
    if (move.kind === 'focus') onFocus(move.key);
    else onChange(move.kind, move.keys);
  };
  return (
    <>
      <div
        aria-hidden
        className="flex items-center gap-3 border-b border-hairline px-5 py-2 text-sm font-medium text-encre-soft max-md:hidden"
      >
        <span className="flex-1">{t('Nom')}</span>
        <span className="w-36 text-right">{t('Chiffre d’affaires')}</span>
        <span className="w-32 text-right">{t('Commissions')}</span>
      </div>
      <div
        ref={scroller}
        className="max-h-[max(24rem,calc(100dvh-19rem))] overflow-y-auto overscroll-contain rounded-b-card"
        onFocus={() => (hasFocus.current = true)}
        onBlur={() => (hasFocus.current = false)}
      >
        <p id={keysId} className="sr-only">
          {t('Entrée ouvre la fiche, les flèches déplient et replient.')}
        </p>
        <div
          role="tree"
          aria-label={t('Réseau : {{name}}', { name: rootName })}
          aria-describedby={keysId}
          className="relative"
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            const isOpenable = row.branch !== null;
            return (
              <div
                key={key}
                ref={index === current ? takeFocus : undefined}
                data-index={index}
                role="treeitem"
                aria-level={row.level}
                aria-posinset={row.position}
                aria-setsize={row.setSize}
                aria-expanded={isOpenable ? row.isOpen : undefined}
                aria-selected={index === current}
                aria-busy={isReading(row) || undefined}
                tabIndex={index === current ? 0 : -1}
                onFocus={() => onFocus(row.key)}
                onKeyDown={onKeyDown}
                onClick={({ target }) => {
                  if (!isOpenable || (target instanceof Element && target.closest('[data-row]'))) return;
                  onChange(row.isOpen ? 'close' : 'open', [row.key]);
                }}
                className={clsx(
                  'absolute inset-x-0 top-0 flex items-center gap-3 border-b border-hairline pr-4 outline-offset-[-2px] sm:pr-5',
                  isOpenable && 'cursor-pointer hover:bg-papier',
                )}
                style={{
                  height: rowHeight,
                  transform: `translateY(${start}px)`,
                  paddingInlineStart: indent(row.level),
                }}
              >
                <RowContent
                  row={row}
                  rootName={rootName}
                  audience={audience}
                  isReading={isReading(row)}
                  panelOf={panelOf}
                />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

/** Less of it on a phone, where the name needs the room. */
function indent(level: number): string {
  return `calc(0.75rem + ${level - 1} * clamp(0.75rem, 2vw, 1.75rem))`;
}

/** Made once for each row, not at each step of the scroll. */
const RowContent = memo(function RowContent({
  row,
  rootName,
  audience,
  isReading,
  panelOf,
}: Pick<NetworkTreeProps, 'rootName' | 'audience' | 'panelOf'> & { row: TreeRow; isReading: boolean }) {
  const { t } = useTranslation();
  const { node, totals } = row;
  const panel = panelOf(row);
  const name = t(rowName(row, rootName));
  const status = statusOf(row, audience, t('Désactivé'));
  return (
    <>
      <span aria-hidden className="flex size-5 shrink-0 items-center justify-center text-encre-faint">
        {isReading ? (
          <LoaderCircle className="size-4 animate-spin" />
        ) : (
          row.branch !== null && (
            <ChevronRight className={clsx('size-4 transition-transform', row.isOpen && 'rotate-90')} />
          )
        )}
      </span>
      <span aria-hidden className="shrink-0 text-encre-faint max-sm:hidden [&_svg]:size-4.5">
        {iconOf(row)}
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex min-w-0 items-center gap-2">
          <span className={clsx('truncate', node?.kind !== 'referral' && 'font-medium')}>
            {panel === null ? (
              name
            ) : (
              // Heard too: a finger has no « Entrée ».
              <RecordLink
                href={panel.href}
                onOpen={panel.open}
                tabIndex={-1}
                className="underline-offset-4 hover:text-sapin hover:underline"
              >
                {name}
              </RecordLink>
            )}
            <span className="sr-only">{t(spokenAfterName(row, audience))}</span>
          </span>
          <span aria-hidden className="shrink-0 max-md:hidden">
            {status}
          </span>
        </span>
        <span
          aria-hidden
          className={clsx(
            'block text-sm text-encre-faint max-md:line-clamp-2 max-md:text-xs/4 md:truncate',
            status !== null && 'max-md:hidden',
          )}
        >
          {node?.kind === 'referral' ? node.detail : countWords(row)}
        </span>
        {/* On a phone the name needs the whole line. */}
        {status !== null && (
          <span aria-hidden className="block md:hidden">
            {status}
          </span>
        )}
      </span>
      {totals !== null && (
        <span aria-hidden className="shrink-0 text-right max-md:text-sm md:flex md:gap-3">
          <span className="block md:w-36">
            <AmountName>{t('CA')}</AmountName> <Amount cents={totals.revenue} />
          </span>
          <span className="block text-encre-soft md:w-32">
            <AmountName>{t('Comm.')}</AmountName> <Amount cents={totals.commissions} />
          </span>
        </span>
      )}
    </>
  );
});

/** The head of a column names its amounts; on a phone there is none (DF-46). */
function AmountName({ children }: { children: string }) {
  return <span className="text-xs text-encre-faint md:hidden">{children}</span>;
}

function statusOf({ node }: TreeRow, audience: SaleAudience, inactive: string): ReactNode {
  if (node === null) return null;
  if (node.sale !== null) return <SaleStatus sale={node.sale} audience={audience} />;
  if (node.isActive || node.name === null) return null;
  return (
    <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
      {inactive}
    </Badge>
  );
}

/** The tree of the admin starts with the company, a commercial's and a client's with themselves. */
function iconOf({ node, branch }: TreeRow): ReactNode {
  switch (node?.kind) {
    case undefined:
      return branch?.level === 'company' ? <Building2 /> : <UserRound />;
    case 'commercial':
      return <BriefcaseBusiness />;
    case 'client':
      return <UserRound />;
    case 'referral':
      return <UserRoundPlus />;
  }
}
