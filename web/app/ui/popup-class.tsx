import clsx from 'clsx';

/**
 * The sheet that floats: lists, menus, popovers. Its positioner is `fixed` on the window: before it has found its place an absolute one
 * may stand out of the page, and a phone's browser then keeps the page that wide.
 */
export const popupClass = clsx(
  'rounded-card border border-hairline bg-sheet text-encre shadow-floating outline-none',
  'transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0',
);

/**
 * An option of a list or a menu. Where the keyboard is shows by a bar, for the ground alone is 1.15:1 beside the others (DF-81). Another
 * tone says both by `--option-ground` and `--option-mark`.
 */
export const optionClass = clsx(
  'tap-target cursor-pointer rounded-field outline-none select-none',
  'data-highlighted:bg-(--option-ground,var(--well)) data-highlighted:shadow-[inset_3px_0_var(--option-mark,var(--sapin))]',
);
