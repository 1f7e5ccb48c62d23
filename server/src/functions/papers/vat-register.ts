import { z } from 'zod';

const TIMEOUT_MS = 5_000;
const answer = z.object({ isValid: z.boolean(), userError: z.string().optional() });
const NUMBER = /^([A-Z]{2})([0-9A-Z]{2,12})$/u;

/**
 * Checks a number with the register of VAT numbers (VIES); null where no register is configured. A register that does not answer holds
 * nobody up: its silence is kept with the acceptance.
 */
export async function askVatRegister(
  url: string | null,
  vatNumber: string,
): Promise<'confirmed' | 'unknown' | 'unreachable' | null> {
  const parts = NUMBER.exec(vatNumber);
  if (url === null || parts === null) return null;
  try {
    const response = await fetch(`${url.replace(/\/$/u, '')}/ms/${parts[1]}/vat/${parts[2]}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    if (!response.ok) return 'unreachable';
    const { isValid, userError } = answer.parse(await response.json());
    if (isValid) return 'confirmed';
    return userError === undefined || userError === 'INVALID' ? 'unknown' : 'unreachable';
  } catch {
    return 'unreachable';
  }
}
