import clsx from 'clsx';

/**
 * The sheet that floats: lists, menus, popovers. Its positioner is `fixed` on the window: before it has found its place an absolute one
 * may stand out of the page, and a phone's browser then keeps the page that wide.
 */
export const popupClass = clsx(
  'rounded-card border border-hairline bg-sheet text-encre shadow-floating outline-none',
  'transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0',
);
