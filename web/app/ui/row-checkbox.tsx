import { useEffect, useRef } from 'react';

export interface RowCheckboxProps {
  label: string;
  checked: boolean;
  /** Some of what it stands for is selected. */
  mixed?: boolean | undefined;
  disabled?: boolean | undefined;
  /** With the shift key a click takes the rows between it and the one before. */
  onToggle: (isSelected: boolean, isRange: boolean) => void;
}

/** Selects a row, or all rows of a page: a checkbox in a target of 24 px, 44 with a finger. */
export function RowCheckbox({ label, checked, mixed = false, disabled = false, onToggle }: RowCheckboxProps) {
  const box = useRef<HTMLInputElement>(null);
  // The third look of a checkbox is a property that no attribute carries.
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <span className="tap-target relative z-1 inline-flex size-6 items-center justify-center align-middle">
      <input
        ref={box}
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={(event) => {
          const { nativeEvent } = event;
          onToggle(event.currentTarget.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true);
        }}
        className="size-4 cursor-pointer accent-sapin"
      />
    </span>
  );
}
