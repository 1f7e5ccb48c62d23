/** Round values from 0 to the first one at or above `max`, four or five of them: the lines of an axis. */
export function ticks(max: bigint): bigint[] {
  if (max <= 0n) return [0n];
  const power = 10n ** BigInt(Math.max(String(max).length - 2, 0));
  const step = [1n, 2n, 5n, 10n, 20n, 25n, 50n].map((factor) => factor * power).find((size) => size * 4n >= max) ?? max;
  const lines = [0n];
  for (let line = step; line < max + step; line += step) lines.push(line);
  return lines;
}
