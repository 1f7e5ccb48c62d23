import { z } from 'zod';

/** The service that verifies captchas, with our secret there. */
export type Captcha = {
  readonly url: string;
  readonly secret: string;
};

const SERVICES: Readonly<Record<string, string>> = {
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
};

/** CAPTCHA: « off », or a service's name and secret and, after a space, another address of it. */
export const captchaService = z.string().transform((text, context): Captcha | null => {
  if (text === 'off') return null;
  const [, name = '', secret, address] = /^(\w+):(\S+)(?:\s+(https?:\/\/\S+))?$/u.exec(text) ?? [];
  const url = Object.hasOwn(SERVICES, name) ? (address ?? SERVICES[name]) : undefined;
  if (secret === undefined || url === undefined || !URL.canParse(url)) {
    context.addIssue({ code: 'custom', message: 'il faut off, hcaptcha:<secret> ou turnstile:<secret>.' });
    return z.NEVER;
  }
  return { url, secret };
});
