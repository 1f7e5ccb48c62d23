import type { CDPSession, Page } from '@playwright/test';
import * as OTPAuth from 'otpauth';
import { expectPage } from './chromium.ts';

// Second steps that a person holds: an application that gives codes, a key.

/** Adds « Mon téléphone » in the profile; gives its secret. */
export async function addApplication(page: Page, { byKeyboard = false } = {}): Promise<string> {
  const press = async (name: string) => {
    const button = page.getByRole('button', { name });
    if (!byKeyboard) return button.click();
    await button.waitFor();
    for (let tabs = 0; tabs < 80; tabs += 1) {
      if (await button.evaluate((node) => node === document.activeElement)) break;
      await page.keyboard.press('Tab');
    }
    return page.keyboard.press('Enter');
  };
  await expectPage(page.getByRole('button', { name: 'Ajouter une application' })).toBeEnabled();
  await press('Ajouter une application');
  await press('Continuer');
  const secret = await typeFirstCode(page);
  await expectPage(page.getByText('Activée', { exact: true })).toBeVisible();
  return secret;
}

/** Reads the key that is shown, and types the code that it gives now. */
export async function typeFirstCode(page: Page): Promise<string> {
  const shown = await page.locator('[data-secret]').innerText();
  const secret = shown.replaceAll(/\s/gu, '');
  await page.getByLabel('Code à 6 chiffres').fill(await freshCode(secret));
  return secret;
}

const lastSteps = new Map<string, number>();

/** A code of a step of thirty seconds that was not used yet: none is good twice. */
export async function freshCode(secret: string): Promise<string> {
  const totp = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) });
  const now = Math.floor(Date.now() / 30_000);
  const last = lastSteps.get(secret);
  // The server accepts one step behind and one ahead. The one behind is left alone where it would be two behind on arrival.
  const first = Date.now() % 30_000 < 15_000 ? now - 1 : now;
  const step = last === undefined ? first : Math.max(now, last + 1);
  while (step > Math.floor(Date.now() / 30_000) + 1) await new Promise((resolve) => setTimeout(resolve, 500));
  lastSteps.set(secret, step);
  return totp.generate({ timestamp: step * 30_000 });
}

export function wrongCode(secret: string): string {
  const totp = new OTPAuth.TOTP({ secret: OTPAuth.Secret.fromBase32(secret) });
  const near = new Set([-1, 0, 1, 2].map((step) => totp.generate({ timestamp: Date.now() + step * 30_000 })));
  return ['111111', '222222', '333333', '444444', '555555'].find((code) => !near.has(code)) ?? '666666';
}

/** A key that is plugged in, or the device itself where it is a passkey's. */
export async function virtualAuthenticator(page: Page, { isPasskey }: { isPasskey: boolean }): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: isPasskey ? 'internal' : 'usb',
      hasResidentKey: isPasskey,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return session;
}
