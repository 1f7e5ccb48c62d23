/** The company's colour where none is chosen: the product's green. */
export const brandColorDefault = '#0b5a40';

const pattern = /^#[0-9a-f]{6}$/;

/** True of « #0b5a40 »: six hexadecimal digits, lower case, as the database keeps them. */
export function isBrandColor(text: string): boolean {
  return pattern.test(text);
}

/** The colour of writing that is read on this colour: white or the ink, whichever stands out more (WCAG's contrast). */
export function inkOn(color: string): '#ffffff' | '#1a1f36' {
  const luminance = luminanceOf(color);
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / (luminanceOf('#1a1f36') + 0.05) ? '#ffffff' : '#1a1f36';
}

/** The same colour on a dark page: mixed with as little white as makes it stand out from `ground` (3:1, WCAG 1.4.11). */
export function brandOnDark(color: string, ground: string): string {
  const target = 3 * (luminanceOf(ground) + 0.05);
  for (let white = 0; white < 1; white += 0.05) {
    const mixed = mixedWith(255, color, white);
    if (luminanceOf(mixed) + 0.05 >= target) return mixed;
  }
  return '#ffffff';
}

/** The same colour on white paper: mixed with as little black as makes a line stand out from it (3:1, WCAG 1.4.11). */
export function brandOnPaper(color: string): string {
  for (let black = 0; black < 1; black += 0.05) {
    const mixed = mixedWith(0, color, black);
    if (1.05 / (luminanceOf(mixed) + 0.05) >= 3) return mixed;
  }
  return '#000000';
}

/** A colour mixed with a share of white, 255, or of black, 0. */
function mixedWith(end: 0 | 255, color: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16);
    return Math.round(part + (end - part) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
