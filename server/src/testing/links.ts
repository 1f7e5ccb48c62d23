/** Presses « Continuer » on the page of a link, as the browser does. */
export async function press(link: URL, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(new URL('/auth/v1/verify/continue', link), {
    method: 'POST',
    body: link.searchParams,
    headers,
    redirect: 'manual',
  });
}

/** Target of the pressed button. */
export async function landing(link: URL, headers: Record<string, string> = {}): Promise<URL> {
  const response = await press(link, headers);
  return new URL(response.headers.get('location') ?? '');
}

/** Parameters of the address's fragment. */
export function fragmentOf(address: URL): URLSearchParams {
  return new URLSearchParams(address.hash.slice(1));
}

/** The six digits of a mail or a text message. */
export function codeIn(text: string): string {
  const [, code] = /(?<!\d)(\d{6})(?!\d)/u.exec(text.replaceAll(/https?:\/\/\S+|\S+@\S+/gu, '')) ?? [];
  if (code === undefined) throw new Error('This message has no code');
  return code;
}

/** Another code. */
export function wrongCode(code: string): string {
  return code === '000000' ? '000001' : '000000';
}

let lastNetwork = 0;

/** Headers of a caller from a network of their own, for servers that trust one proxy: limits by network do not add up. */
export function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.${90 + (lastNetwork >> 16)}.${(lastNetwork >> 8) & 255}.${lastNetwork & 255}` };
}
