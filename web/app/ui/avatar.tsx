import clsx from 'clsx';

export interface AvatarProps {
  name: string;
  size?: 'sm' | 'md' | undefined;
}

/** The initials of a person whose name stands beside: decoration, hidden from assistive tools. */
export function Avatar({ name, size = 'md' }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={clsx(
        'inline-flex shrink-0 items-center justify-center rounded-full font-medium select-none',
        size === 'md' ? 'size-9 text-sm' : 'size-7 text-xs',
        tints[hash(name) % tints.length],
      )}
    >
      {initials(name)}
    </span>
  );
}

/** First letters of the first and the last word: « Jean-Marc de la Tour » gives JT. */
function initials(name: string): string {
  const words = name.trim().split(/\s+/u).filter(Boolean);
  const first = words[0] ?? '';
  const last = words.length > 1 ? (words.at(-1) ?? '') : '';
  return `${[...first][0] ?? ''}${[...last][0] ?? ''}`.toLocaleUpperCase('fr-FR') || '?';
}

function hash(text: string): number {
  let sum = 0;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum;
}

const tints = [
  'bg-sapin-tint text-sapin',
  'bg-blue-tint text-blue',
  'bg-amber-tint text-amber',
  'bg-purple-tint text-purple',
  'bg-red-tint text-red',
];
