import clsx from 'clsx';

/** The sheet that floats: lists, menus, popovers. */
export const popupClass = clsx(
  'rounded-card border border-hairline bg-sheet text-encre shadow-floating outline-none',
  'transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0',
);
