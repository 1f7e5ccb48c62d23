/** The most working days within which a company promises an answer (UI-03). */
export const answerDaysMax = 10;

/** Text of the answer delay, its number unbroken: « sous 2 jours ouvrés », « prochainement » where the company promises nothing. */
export function answerDelayText(days: number | null): string {
  if (days === null) return 'prochainement';
  return days === 1 ? 'sous\u00a01\u00a0jour ouvré' : `sous\u00a0${days}\u00a0jours ouvrés`;
}
