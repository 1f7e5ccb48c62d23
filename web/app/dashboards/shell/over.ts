/** What stays in the page once it was open, without being seen: a sheet, and the choices in it. */
const unseen = '[hidden], [hidden] *';

/** An open dialog, which waits for an answer: not a notice at the edge. */
export const openDialog = `:is([role="dialog"], [role="alertdialog"]):not([aria-modal="false"], ${unseen})`;

/** What opens over the page and holds the focus while it is there. */
export const over = `:is(${openDialog}, [role="menu"], [role="listbox"]):not(${unseen})`;
