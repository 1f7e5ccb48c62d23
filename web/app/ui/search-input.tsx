import { Search } from 'lucide-react';
import { TextInput } from './text-input.tsx';

export interface SearchInputProps {
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
}

/** A search box: named for assistive tools, emptied by Escape. */
export function SearchInput({ label, value, onValueChange, size = 'md', className }: SearchInputProps) {
  return (
    <div role="search" className={className}>
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        icon={<Search />}
        className={size === 'sm' ? 'h-9! tap-target text-sm' : undefined}
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
