import { encode, renderSVG } from 'uqr';

/** Four modules around, as the standard asks; a quarter of a damaged code is still read. */
const LOOK = { ecc: 'M', border: 4 } as const;

/** A QR code as a drawing, black on white whatever the theme. */
export function qrSvg(text: string): string {
  return renderSVG(text, { ...LOOK, pixelSize: 10 });
}

/** The same as an address that a picture shows. */
export function qrSource(text: string): string {
  return `data:image/svg+xml,${encodeURIComponent(qrSvg(text))}`;
}

/** The same as a PNG of at least 1 000 pixels a side, for programs that take no drawing. */
export async function qrPng(text: string): Promise<Blob> {
  const { data, size } = encode(text, LOOK);
  const scale = Math.ceil(1000 / size);
  const canvas = document.createElement('canvas');
  canvas.width = size * scale;
  canvas.height = size * scale;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser draws no picture');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#000';
  data.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (isDark) context.fillRect(x * scale, y * scale, scale, scale);
    }),
  );
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('No picture was made')) : resolve(blob)), 'image/png');
  });
}
