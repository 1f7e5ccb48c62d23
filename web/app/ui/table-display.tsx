import { Menu as Base } from '@base-ui/react/menu';
import clsx from 'clsx';
import { Check, SlidersHorizontal } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './icon-button.tsx';
import { optionClass, popupClass } from './popup-class.tsx';
import { useDensity, type Density } from './table-preferences.tsx';

export interface TableDisplayProps {
  /** The list whose table this is. */
  label: string;
  /** The columns that may be left out. */
  columns: readonly { id: string; header: string }[];
  hidden: ReadonlySet<string>;
  onHiddenChange: (ids: Iterable<string>) => void;
}

/** Menu of a table's display: the height of its rows, and which of its columns are there. */
export default function TableDisplay({ label, columns, hidden, onHiddenChange }: TableDisplayProps) {
  const [density, setDensity] = useDensity();
  return (
    <Base.Root>
      <Base.Trigger render={<IconButton label={`Affichage : ${label}`} icon={<SlidersHorizontal />} />} />
      <Base.Portal>
        <Base.Positioner positionMethod="fixed" sideOffset={6} align="end" className="z-60 outline-none">
          <Base.Popup className={clsx(popupClass, 'min-w-52 p-1')}>
            <Base.Group>
              <Base.GroupLabel className={labelClass}>Lignes</Base.GroupLabel>
              <Base.RadioGroup value={density} onValueChange={(value: Density) => setDensity(value)}>
                {(['comfortable', 'compact'] as const).map((value) => (
                  <Base.RadioItem key={value} value={value} className={itemClass}>
                    <Base.RadioItemIndicator className={indicatorClass}>
                      <Check aria-hidden />
                    </Base.RadioItemIndicator>
                    <ItemText>{densityLabels[value]}</ItemText>
                  </Base.RadioItem>
                ))}
              </Base.RadioGroup>
            </Base.Group>
            {columns.length > 0 && (
              <Base.Group className="mt-1 border-t border-hairline pt-1">
                <Base.GroupLabel className={labelClass}>Colonnes</Base.GroupLabel>
                {columns.map(({ id, header }) => (
                  <Base.CheckboxItem
                    key={id}
                    checked={!hidden.has(id)}
                    onCheckedChange={(shown) => {
                      const next = new Set(hidden);
                      if (shown) next.delete(id);
                      else next.add(id);
                      onHiddenChange(next);
                    }}
                    className={itemClass}
                  >
                    <Base.CheckboxItemIndicator className={indicatorClass}>
                      <Check aria-hidden />
                    </Base.CheckboxItemIndicator>
                    <ItemText>{header}</ItemText>
                  </Base.CheckboxItem>
                ))}
              </Base.Group>
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

function ItemText({ children }: { children: ReactNode }) {
  return <span className="col-start-2">{children}</span>;
}

const densityLabels: Readonly<Record<Density, string>> = { comfortable: 'Confortables', compact: 'Compactes' };
const labelClass = 'px-2.5 py-1.5 text-xs font-medium text-encre-faint';
const itemClass = `${optionClass} grid grid-cols-[1rem_1fr] items-center gap-x-2.5 py-1.5 pr-4 pl-2.5 text-base`;
const indicatorClass = 'col-start-1 text-sapin [&_svg]:size-4';
