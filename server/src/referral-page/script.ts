import { SECONDS_MIN, WORK_BITS } from './stamp.ts';

/**
 * The first 32 bits of SHA-256 of a text of at most 55 ASCII characters. It stands alone: its own source is part of the page, for the
 * browser's own SHA-256 exists on https alone and answers one promise a hash.
 */
export function createHasher(): (text: string) => number {
  const rounds = new Int32Array(64);
  const start = new Int32Array(8);
  const words = new Int32Array(64);
  for (let candidate = 2, found = 0; found < 64; candidate++) {
    let isPrime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor++) if (candidate % divisor === 0) isPrime = false;
    if (!isPrime) continue;
    if (found < 8) start[found] = (candidate ** (1 / 2) % 1) * 2 ** 32;
    rounds[found++] = (candidate ** (1 / 3) % 1) * 2 ** 32;
  }
  const [a0 = 0, b0 = 0, c0 = 0, d0 = 0, e0 = 0, f0 = 0, g0 = 0, h0 = 0] = start;
  return (text) => {
    words.fill(0, 0, 16);
    for (let index = 0; index <= text.length; index++) {
      const code = index === text.length ? 128 : text.charCodeAt(index);
      words[index >> 2] = (words[index >> 2] as number) | (code << (24 - (index % 4) * 8));
    }
    words[15] = text.length * 8;
    // No calls and no copies within: a browser without its optimizing compiler runs this ten times slower with them.
    let [a, b, c, d, e, f, g, h] = [a0, b0, c0, d0, e0, f0, g0, h0];
    for (let round = 0; round < 64; round++) {
      if (round > 15) {
        const w15 = words[round - 15] as number;
        const w2 = words[round - 2] as number;
        words[round] =
          (words[round - 16] as number) +
          (((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3)) +
          (words[round - 7] as number) +
          (((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10));
      }
      const first =
        h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & f) ^ (~e & g)) +
        (rounds[round] as number) +
        (words[round] as number);
      const second =
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    return (a + a0) >>> 0;
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
form.addEventListener('change', ({ target }) => {
  if (target.name !== 'channel') return;
  const kind = target.value === 'email' ? 'email' : 'tel', { contact } = form.elements;
  contact.inputMode = contact.autocomplete = kind;
});
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
