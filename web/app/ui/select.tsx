import { CSPProvider } from '@base-ui/react/csp-provider';
import { Select as Base } from '@base-ui/react/select';
import clsx from 'clsx';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { controlClass, useFieldControl } from './field.tsx';
import { optionClass, popupClass } from './popup-class.tsx';

export interface SelectOption<Value extends string> {
  value: Value;
  label: string;
  /** A quieter line under the label. */
  description?: string | undefined;
  icon?: ReactNode;
}

export interface SelectProps<Value extends string> {
  options: readonly SelectOption<Value>[];
  value: Value | null;
  onValueChange: (value: Value) => void;
  placeholder?: string | undefined;
  /** Needed where the select stands outside a Field. */
  label?: string | undefined;
  name?: string | undefined;
  disabled?: boolean | undefined;
  onBlur?: (() => void) | undefined;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
}

/** One choice among a few. In react-hook-form, wrap it in a `<Controller>`. */
export function Select<Value extends string>({
  options,
  value,
  onValueChange,
  placeholder = 'Choisir…',
  label,
  name,
  disabled,
  onBlur,
  size = 'md',
  className,
}: SelectProps<Value>) {
  const control = useFieldControl();
  return (
    // The page's policy allows no inline style: the list's scroll bar is styled by class alone.
    <CSPProvider disableStyleElements>
      <Base.Root<Value>
        items={options}
        value={value}
        {...(name === undefined ? {} : { name })}
        {...(disabled === undefined ? {} : { disabled })}
        onValueChange={(next) => {
          if (next !== null) onValueChange(next);
        }}
      >
        <Base.Trigger
          {...control}
          {...(label === undefined ? {} : { 'aria-label': label, 'aria-labelledby': undefined })}
          onBlur={onBlur}
          className={clsx(
            controlClass,
            'tap-target flex items-center justify-between text-left',
            size === 'md' ? 'h-11 gap-3' : 'h-9 gap-1 px-2! text-sm max-sm:gap-0.5',
            className,
          )}
        >
          <Base.Value placeholder={placeholder} className="truncate data-placeholder:text-encre-faint" />
          <Base.Icon className="text-encre-faint">
            <ChevronsUpDown aria-hidden className="size-4" />
          </Base.Icon>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner
            positionMethod="fixed"
            sideOffset={6}
            alignItemWithTrigger={false}
            className="z-60 outline-none"
          >
            <Base.Popup className={clsx(popupClass, 'min-w-(--anchor-width)')}>
              <Base.List className="max-h-[min(22rem,var(--available-height))] overflow-y-auto p-1">
                {options.map((option) => (
                  <Base.Item
                    key={option.value}
                    value={option.value}
                    className={clsx(
                      optionClass,
                      'grid grid-cols-[1rem_1fr] items-center gap-x-2.5 py-2 pr-4 pl-2.5 text-base',
                    )}
                  >
                    <Base.ItemIndicator className="col-start-1 text-sapin">
                      <Check aria-hidden className="size-4" />
                    </Base.ItemIndicator>
                    <span className="col-start-2 flex items-center gap-2">
                      {option.icon}
                      <Base.ItemText>{option.label}</Base.ItemText>
                    </span>
                    {option.description && (
                      <span className="col-start-2 text-sm text-encre-faint">{option.description}</span>
                    )}
                  </Base.Item>
                ))}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </CSPProvider>
  );
}
