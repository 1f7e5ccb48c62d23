import { Search } from 'lucide-react';
import { TextInput } from './text-input.tsx';
import { phoneQuery, useMedia } from './use-media.tsx';

export interface SearchInputProps {
  label: string;
  value: string;
  onValueChange: (value: string) => void;
  size?: 'sm' | 'md' | undefined;
  className?: string | undefined;
}

/** A search box: named for assistive tools, emptied by Escape. */
export function SearchInput({ label, value, onValueChange, size = 'md', className }: SearchInputProps) {
  // A phone's line has no room for more than the verb; the screen's title says of what.
  const isPhone = useMedia(phoneQuery);
  return (
    <div role="search" className={className}>
      <TextInput
        type="search"
        aria-label={label}
        placeholder={isPhone ? 'Rechercher' : label}
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
