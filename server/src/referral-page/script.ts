import { SECONDS_MIN, WORK_BITS } from './stamp.ts';

/**
 * The first 32 bits of SHA-256 of a text of at most 55 ASCII characters. It stands alone: its own source is part of the page, for the
 * browser's own SHA-256 exists on https alone and answers one promise a hash.
 */
export function createHasher(): (text: string) => number {
  const rounds = new Uint32Array(64);
  const start = new Uint32Array(8);
  const words = new Uint32Array(64);
  const state = new Uint32Array(8);
  for (let candidate = 2, found = 0; found < 64; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) start[found] = (candidate ** (1 / 2) % 1) * 2 ** 32;
    rounds[found++] = (candidate ** (1 / 3) % 1) * 2 ** 32;
  }
  const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));
  const at = (list: Uint32Array, index: number): number => list[index] as number;
  return (text) => {
    words.fill(0);
    for (let index = 0; index <= text.length; index++) {
      const code = index === text.length ? 128 : text.charCodeAt(index);
      words[index >> 2] = at(words, index >> 2) | (code << (24 - (index % 4) * 8));
    }
    words[15] = text.length * 8;
    state.set(start);
    for (let round = 0; round < 64; round++) {
      if (round > 15) {
        const w15 = at(words, round - 15);
        const w2 = at(words, round - 2);
        words[round] =
          at(words, round - 16) +
          at(words, round - 7) +
          (turned(w15, 7) ^ turned(w15, 18) ^ (w15 >>> 3)) +
          (turned(w2, 17) ^ turned(w2, 19) ^ (w2 >>> 10));
      }
      const a = at(state, 0);
      const e = at(state, 4);
      const first =
        at(state, 7) +
        (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
        ((e & at(state, 5)) ^ (~e & at(state, 6))) +
        at(rounds, round) +
        at(words, round);
      const second =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
        ((a & at(state, 1)) ^ (a & at(state, 2)) ^ (at(state, 1) & at(state, 2)));
      state.copyWithin(1, 0, 7);
      state[4] = at(state, 4) + first;
      state[0] = first + second;
    }
    return (at(state, 0) + at(start, 0)) >>> 0;
  };
}

/** The page's one script: it works for the form while its reader types, and sends it once both are done. */
export const SCRIPT = `(() => {
const form = document.forms[0];
if (!form) return;
const hash = (${createHasher.toString()})();
const work = form.elements.work, seed = form.dataset.seed, button = form.querySelector('button'), since = performance.now();
let number = 0, sending = false;
const send = () => {
  const wait = ${SECONDS_MIN * 1000 + 300} - (performance.now() - since);
  if (work.value === '') return;
  if (wait > 0) setTimeout(send, wait); else form.submit();
};
const step = () => {
  const until = performance.now() + 8;
  while (work.value === '' && performance.now() < until) {
    for (let i = 0; i < 100 && work.value === ''; i++, number++)
      if (hash(seed + '.' + number) >>> ${32 - WORK_BITS} === 0) work.value = number;
  }
  if (work.value === '') setTimeout(step); else if (sending) send();
};
step();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (sending) return;
  sending = true;
  button.setAttribute('aria-disabled', 'true');
  button.textContent = 'Envoi…';
  send();
});
addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
})();`;
