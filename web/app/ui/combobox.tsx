import { Combobox as Base } from '@base-ui/react/combobox';
import clsx from 'clsx';
import { Check, ChevronsUpDown, X } from 'lucide-react';
import { controlClass, useFieldControl } from './field.tsx';
import { popupClass } from './select.tsx';

export interface ComboboxOption {
  value: string;
  label: string;
  /** A quieter line under the label. */
  description?: string | undefined;
}

export interface ComboboxProps {
  /** What matches the typed text, as whoever asked the server found it. */
  options: readonly ComboboxOption[];
  value: ComboboxOption | null;
  onValueChange: (value: ComboboxOption | null) => void;
  /** What is typed: ask the server for it. Empty when the list just opened. */
  onSearchChange: (search: string) => void;
  /** The list is being fetched. */
  loading?: boolean | undefined;
  placeholder?: string | undefined;
  /** Said where nothing matches. */
  emptyText: string;
  /** Needed where the combobox stands outside a Field. */
  label?: string | undefined;
  /** Offers a cross that forgets the choice. */
  clearable?: boolean | undefined;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
}

/** One choice among many, found by typing; the list is searched by whoever gives the options. */
export function Combobox({
  options,
  value,
  onValueChange,
  onSearchChange,
  loading = false,
  placeholder = 'Choisir…',
  emptyText,
  label,
  clearable = false,
  size = 'md',
  className,
}: ComboboxProps) {
  const control = useFieldControl();
  return (
    <Base.Root<ComboboxOption>
      items={options}
      value={value}
      onValueChange={(next) => onValueChange(next)}
      onInputValueChange={(text, { reason }) => onSearchChange(reason === 'input-change' ? text : '')}
      onOpenChange={(open) => {
        if (!open) onSearchChange('');
      }}
      itemToStringLabel={(option) => option.label}
      isItemEqualToValue={(option, chosen) => option.value === chosen.value}
      filter={null}
    >
      <Base.InputGroup className={clsx('relative', className)}>
        <Base.Input
          {...control}
          {...(label === undefined ? {} : { 'aria-label': label, 'aria-labelledby': undefined })}
          placeholder={placeholder}
          className={clsx(
            controlClass,
            'tap-target truncate',
            size === 'md' ? 'h-11' : 'h-9 text-sm',
            clearable && value ? 'pr-16' : 'pr-9',
          )}
        />
        <div className="absolute inset-y-0 right-0 flex text-encre-faint">
          {clearable && value && (
            <Base.Clear
              aria-label="Effacer le choix"
              className="flex w-8 items-center justify-center rounded-field hover:text-encre"
            >
              <X aria-hidden className="size-4" />
            </Base.Clear>
          )}
          <Base.Trigger
            aria-label="Ouvrir la liste"
            className="flex w-9 items-center justify-center rounded-field hover:text-encre"
          >
            <ChevronsUpDown aria-hidden className="size-4" />
          </Base.Trigger>
        </div>
      </Base.InputGroup>
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-60 outline-none">
          <Base.Popup
            className={clsx(popupClass, 'w-max max-w-(--available-width) min-w-(--anchor-width)')}
            aria-busy={loading || undefined}
          >
            <Base.Empty>
              <p className="px-3.5 py-3 text-encre-faint">{loading ? 'Recherche…' : emptyText}</p>
            </Base.Empty>
            <Base.List className="max-h-[min(22rem,var(--available-height))] overflow-y-auto p-1 empty:hidden">
              {(option: ComboboxOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className="tap-target grid cursor-pointer grid-cols-[1rem_1fr] items-center gap-x-2.5 rounded-field py-2 pr-4 pl-2.5 text-base outline-none select-none data-highlighted:bg-well"
                >
                  <Base.ItemIndicator className="col-start-1 text-sapin">
                    <Check aria-hidden className="size-4" />
                  </Base.ItemIndicator>
                  <span className="col-start-2">{option.label}</span>
                  {option.description && (
                    <span className="col-start-2 text-sm text-encre-faint">{option.description}</span>
                  )}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
