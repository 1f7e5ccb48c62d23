/** Parts that stay in the page once they were open, without being seen: a sheet, and the choices in it. */
const unseen = '[hidden], [hidden] *';

/** An open dialog, which waits for an answer: not a notice at the edge. */
export const openDialog = `:is([role="dialog"], [role="alertdialog"]):not([aria-modal="false"], ${unseen})`;

/** Layers that open over the page and hold the focus while they are there. */
export const over = `:is(${openDialog}, [role="menu"], [role="listbox"]):not(${unseen})`;
