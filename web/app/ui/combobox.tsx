import { Combobox as Base } from '@base-ui/react/combobox';
import clsx from 'clsx';
import { Check, ChevronsUpDown, Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { controlClass, useFieldControl } from './field.tsx';
import { optionClass, popupClass } from './popup-class.tsx';

export interface ComboboxOption {
  value: string;
  label: string;
  /** A quieter line under the label. */
  description?: string | undefined;
}

export interface ComboboxProps {
  /** The matches of the typed text, as the server found them. */
  options: readonly ComboboxOption[];
  value: ComboboxOption | null;
  onValueChange: (value: ComboboxOption | null) => void;
  /** Gets the typed text, to ask the server for it. Empty when the list has just opened. */
  onSearchChange: (search: string) => void;
  /** The pointer or the focus has come, or the list opens: its options may be fetched. */
  onNear?: (() => void) | undefined;
  /** The options of the typed text are being fetched: those shown are of an earlier one. */
  loading?: boolean | undefined;
  placeholder?: string | undefined;
  /** Names the search box inside the list, and stands in it: « Nom ou email ». */
  searchLabel: string;
  /** Said where nothing matches. */
  emptyText: string;
  /** Needed where the combobox stands outside a Field. */
  label?: string | undefined;
  /** Offers a cross that forgets the choice. */
  clearable?: boolean | undefined;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
}

/**
 * One choice among many: a select whose list is searched. The caller filters the options. Enter before the options of the typed text have
 * come takes the first of them once they have; the list stays as it is under a finger that presses.
 */
export function Combobox({
  options,
  value,
  onValueChange,
  onSearchChange,
  onNear,
  loading = false,
  placeholder = 'Choisir…',
  searchLabel,
  emptyText,
  label,
  clearable = false,
  size = 'md',
  className,
}: ComboboxProps) {
  const control = useFieldControl();
  const clears = clearable && value !== null;
  const [held, setHeld] = useState<readonly ComboboxOption[]>();
  // The click of a finger comes after its pointer has left.
  const letGo = () => setTimeout(() => setHeld(undefined), 300);
  const input = useRef<HTMLInputElement>(null);
  const isEntered = useRef(false);
  useEffect(() => {
    if (loading || !isEntered.current) return;
    isEntered.current = false;
    input.current?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  }, [loading]);
  return (
    <Base.Root<ComboboxOption>
      items={held ?? options}
      value={value}
      onValueChange={(next) => onValueChange(next)}
      onInputValueChange={(text, { reason }) => {
        isEntered.current = false;
        onSearchChange(reason === 'input-change' ? text : '');
      }}
      onOpenChange={(open) => {
        isEntered.current = false;
        if (open) onNear?.();
        else onSearchChange('');
      }}
      itemToStringLabel={(option) => option.label}
      isItemEqualToValue={(option, chosen) => option.value === chosen.value}
      filter={null}
      autoHighlight
    >
      <div className={clsx('relative', className)}>
        <Base.Trigger
          {...control}
          onPointerEnter={onNear}
          onFocus={onNear}
          {...(label === undefined ? {} : { 'aria-label': label, 'aria-labelledby': undefined })}
          className={clsx(
            controlClass,
            'tap-target flex items-center justify-between text-left',
            size === 'md' ? 'h-11 gap-3' : 'h-9 gap-1 px-2! text-sm max-sm:gap-0.5',
            clears && 'pr-16',
          )}
        >
          <span className={clsx('min-w-0 truncate', value === null && 'text-encre-faint')}>
            {value?.label ?? placeholder}
          </span>
          <ChevronsUpDown
            aria-hidden
            className={clsx('size-4 shrink-0 text-encre-faint', clears && 'absolute right-3')}
          />
        </Base.Trigger>
        {clears && (
          <button
            type="button"
            aria-label="Effacer le choix"
            onClick={() => onValueChange(null)}
            className="absolute inset-y-0 right-8 flex w-8 items-center justify-center rounded-field text-encre-faint hover:text-encre"
          >
            <X aria-hidden className="size-4" />
          </button>
        )}
      </div>
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="start" className="z-60 outline-none">
          <Base.Popup
            aria-label={searchLabel}
            aria-busy={loading || undefined}
            className={clsx(popupClass, 'w-max max-w-(--available-width) min-w-[max(var(--anchor-width),16rem)]')}
          >
            <div className="relative border-b border-hairline">
              <Search
                aria-hidden
                className="pointer-events-none absolute inset-y-0 left-3 my-auto size-4 text-encre-faint"
              />
              <Base.Input
                ref={input}
                aria-label={searchLabel}
                placeholder={searchLabel}
                onKeyDown={(event) => {
                  // The options are those of an earlier text: Enter would choose somebody else.
                  if (event.key !== 'Enter' || !loading) return;
                  event.preventDefault();
                  event.preventBaseUIHandler();
                  isEntered.current = true;
                }}
                className="h-11 w-full rounded-t-card bg-transparent pr-3 pl-9 text-base outline-none placeholder:text-encre-faint"
              />
            </div>
            <Base.Empty>
              <p className="px-3.5 py-3 text-encre-faint empty:hidden">{loading ? 'Recherche…' : emptyText}</p>
            </Base.Empty>
            <Base.List
              onPointerDown={() => setHeld(options)}
              onPointerUp={letGo}
              onPointerCancel={letGo}
              onPointerLeave={letGo}
              className="max-h-[min(17rem,calc(var(--available-height)-3rem))] overflow-y-auto p-1 empty:hidden"
            >
              {(option: ComboboxOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className={clsx(
                    optionClass,
                    'grid grid-cols-[1rem_1fr] items-center gap-x-2.5 py-2 pr-4 pl-2.5 text-base',
                  )}
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
