const key = 'starts';
/** A reload after a deployment mends a page that kept old addresses; more of them mend nothing. */
const startsMax = 3;

/**
 * Counts a start of the application, and says that this one is in vain too: the ones before ended before a page stood. React Router
 * loads a page anew whose code fails, and would do so without end where the browser cannot run it.
 */
export function isInVain(): boolean {
  try {
    const starts = Number.parseInt(sessionStorage.getItem(key) ?? '0', 10) + 1;
    if (starts > startsMax) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, String(starts));
    return starts > startsMax;
  } catch {
    // Storage is closed: nothing can be counted.
    return false;
  }
}

/** Says that a page stands: the starts before it were not in vain. */
export function pageStands(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // Storage is closed.
  }
}

/** Puts one sentence, and the way to try again, in the place of the page. */
export function sayInVain(): void {
  const main = document.createElement('main');
  main.className = 'mx-auto flex min-h-dvh max-w-xl flex-col justify-center gap-4 px-5 py-16';
  const sentence = document.createElement('h1');
  sentence.className = 'text-xl';
  sentence.textContent =
    'Cette page n’a pas pu s’ouvrir, malgré plusieurs essais. Mettez votre navigateur à jour, ou réessayez dans un instant.';
  const retry = document.createElement('a');
  retry.className = 'font-medium text-sapin underline underline-offset-4';
  retry.href = window.location.href;
  retry.textContent = 'Réessayer';
  main.append(sentence, retry);
  document.body.replaceChildren(main);
}
