import { Search } from 'lucide-react';
import { TextInput } from './text-input.tsx';

export interface SearchInputProps {
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  className?: string | undefined;
}

/** A search box: named for assistive tools, emptied by Escape. */
export function SearchInput({ label, value, onValueChange, className }: SearchInputProps) {
  return (
    <div role="search" className={className}>
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        icon={<Search />}
        value={value}
        onChange={(event) => onValueChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value !== '') {
            event.stopPropagation();
            onValueChange('');
          }
        }}
      />
    </div>
  );
}
