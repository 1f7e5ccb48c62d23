/** Puts a text on the clipboard. @throws where the browser refuses. */
export async function copyText(text: string): Promise<void> {
  // Not there on plain http under a name of one's own; the old way still is, in the hand that pressed.
  const { clipboard } = navigator as { clipboard?: Clipboard };
  if (clipboard) return clipboard.writeText(text);
  const place = document.createElement('textarea');
  place.value = text;
  place.readOnly = true;
  place.style.cssText = 'position: fixed; opacity: 0';
  // Beside what has the focus: a dialog would take it back from elsewhere.
  const holder = document.activeElement;
  (holder?.closest('[role=dialog], [role=alertdialog]') ?? document.body).append(place);
  place.select();
  const isCopied = document.execCommand('copy');
  place.remove();
  if (holder instanceof HTMLElement) holder.focus();
  if (!isCopied) throw new Error('The text could not be copied');
}
