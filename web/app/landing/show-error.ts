/** Writes under a field of the public page what is wrong with it, or takes it away. */
export function showError(form: HTMLFormElement, name: string, message: string): void {
  const place = form.querySelector(`[data-error="${CSS.escape(name)}"]`);
  const field = form.elements.namedItem(name);
  if (!place || !(field instanceof HTMLElement)) return;
  place.textContent = message;
  if (message === '') field.removeAttribute('aria-invalid');
  else field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', place.id);
}
