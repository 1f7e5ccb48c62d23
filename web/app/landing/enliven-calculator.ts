import { costExample, referralCost, type CostAsked } from './referral-cost.ts';
import { showError } from './show-error.ts';

const names = Object.keys(costExample) as (keyof CostAsked)[];

/** Answers what is typed in the calculator (UI-14), in the page alone. Loaded when the form is near. */
export function enlivenCalculator(form: HTMLFormElement, signal: AbortSignal): void {
  form.addEventListener('input', () => answer(form), { signal });
  // What a reload, or a hand faster than this script, has left there.
  answer(form);
}

function answer(form: HTMLFormElement): void {
  const typed = (name: keyof CostAsked) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement ? field.value : '';
  };
  const { said, wrong } = referralCost({
    contract: typed('contract'),
    contracts: typed('contracts'),
    client: typed('client'),
    commercial: typed('commercial'),
  });
  for (const name of names) showError(form, name, wrong?.[name] ?? '');
  for (const place of form.querySelectorAll<HTMLElement>('[data-said]')) {
    const text = said ? said[place.dataset['said'] as keyof typeof said] : '–';
    if (place.textContent !== text) place.textContent = text;
  }
}
