/** The longest side of a stored logo, in pixels. */
export const drawnSideMax = 512;
