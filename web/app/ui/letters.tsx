import { readStored, useStored } from './stored.ts';

const key = 'letter-shortcuts';

/** If the shortcuts of one letter are on: a choice of this browser (WCAG 2.1.4). */
export function useLettersChoice(): [boolean, (isOn: boolean) => void] {
  const [stored, keep] = useStored(key);
  return [stored !== 'off', (isOn) => keep(isOn ? null : 'off')];
}

/** The same, as a key is pressed. */
export function lettersAreOn(): boolean {
  return readStored(key) !== 'off';
}
