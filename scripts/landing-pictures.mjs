// npm run landing-pictures: the pictures of the public page, taken from the product: one sale of the demo company, followed from
// the invitation to the transfer, light and dark, into web/app/landing/pictures/, with their sizes in sizes.json.
import { createClient } from '@supabase/supabase-js';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { startMailbox } from '../server/src/testing/mailbox.ts';
import { ensureInstalled } from './ensure-installed.mjs';
import { pageAs, sessionOf, webp, whole, withDemo } from './lib/demo-in-chromium.mjs';
import { inProject } from './lib/project.mjs';

const TARGET = inProject('web', 'app', 'landing', 'pictures');
const THEMES = ['light', 'dark'];
const PASSWORD = 'Un-chemin-suivi-2026';
const HUGO = 'hugo.bernard@atelier.example';
const LEA = 'lea.fontaine@atelier.example';
/** Nearly as wide as a picture is shown, on a laptop as on a phone, so that its letters can be read; taken at twice the points. */
const CARD = { width: 320, height: 1000 };
/** Height shown of a step. */
const STEP = 400;
const SHARPNESS = 2;

await ensureInstalled();
const mailbox = await startMailbox();
try {
  await withDemo(followOneSale, { SMTP_URL: mailbox.url, MAIL_FROM: 'Lumeo Habitat <bonjour@lumeo.example>' });
} finally {
  await mailbox.close();
}

async function followOneSale({ origin, browser }) {
  const { publishableKey, demo } = await (await fetch(`${origin}/config.json`)).json();
  const emailOf = (role) => demo.accounts.find((account) => account.role === role).email;
  const enter = async (email, password) => {
    const client = createClient(origin, publishableKey, { auth: { persistSession: false, autoRefreshToken: false } });
    const { error } = await client.auth.signInWithPassword({ email, password });
    if (error !== null) throw error;
    return client;
  };
  const call = async (client, name, body) => {
    const { data, error } = await client.functions.invoke(name, { body });
    if (error !== null) throw new Error(`${name}: ${await error.context?.text?.()}`);
    return data;
  };
  const sizes = {};
  /** One picture in each theme, of what `find` gives on the page at `address`: `height` of it from its top, or its end. */
  const take = async (
    name,
    { email, password = demo.password, address, viewport = CARD, find, height, isEnd = false },
  ) => {
    const session = email === undefined ? undefined : await sessionOf(origin, email, password);
    for (const theme of THEMES) {
      const options = { viewport, colorScheme: theme, deviceScaleFactor: SHARPNESS };
      const page = await pageAs(browser, options, session);
      if (address === undefined) await page.setContent(await find());
      else await page.goto(origin + address);
      await whole(page);
      const clip = await boxOf(address === undefined ? page.locator('body') : await find(page), page);
      if (isEnd) clip.y += clip.height - height;
      clip.height = height;
      const bytes = await webp(page, { clip, scale: SHARPNESS, quality: 60 });
      writeFileSync(path.join(TARGET, `${name}-${theme}.webp`), bytes);
      sizes[name] = { width: clip.width, height: clip.height };
      process.stdout.write(
        `${name}-${theme}.webp ${Math.round(clip.width)} × ${Math.round(clip.height)}, ${(bytes.length / 1000).toFixed(1)} ko\n`,
      );
      await page.context().close();
    }
  };

  const commercial = await enter(emailOf('commercial'), demo.password);
  await call(commercial, 'invite-client', {
    name: 'Hugo Bernard',
    email: HUGO,
    phone: null,
    company: null,
    notes: null,
  });
  const invitation = await mailbox.take(HUGO);
  await take('invitation', {
    find: () => invitation.html.replaceAll(origin, 'https://parrain.lumeo.example'),
    height: STEP,
  });

  const temporary = /Mot de passe[^:\n]*:\s*(?<password>\S+)/u.exec(invitation.text).groups.password;
  const hugo = await enter(HUGO, temporary);
  await hugo.auth.updateUser({ password: PASSWORD });
  await call(hugo, 'send-invitation-email', {
    name: 'Léa Fontaine',
    email: LEA,
    phone: '06 12 34 56 78',
    personalMessage:
      'Tu cherchais quelqu’un pour refaire l’isolation de ta boutique : appelle-les de ma part, ils sont précis.',
  });
  const { data: sales } = await commercial.from('sales').select('id').eq('referred_contact_name', 'Léa Fontaine');
  const sale = sales[0].id;
  const move = (status, more = {}) =>
    call(commercial, 'sales-management', { action: 'update_status', sale_id: sale, status, ...more });
  await move('contacted');
  await take('referral', {
    email: emailOf('commercial'),
    address: `/commercial/dashboard?section=parrainages-recus&parrainage=${sale}`,
    find: (page) => page.getByRole('dialog'),
    height: STEP,
  });

  await move('in_negotiation');
  await move('pending_final_validation', {
    contract_amount: 1234.56,
    contract_description: 'Isolation de la boutique',
  });
  await take('validation', {
    email: emailOf('admin'),
    address: '/admin/dashboard?section=validations&recherche=Fontaine',
    find: async (page) => {
      await page
        .getByRole('button', { name: /^Valider le contrat .*Léa Fontaine/u })
        .first()
        .click();
      const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog')).first();
      return dialog;
    },
    height: STEP,
    isEnd: true,
  });

  const admin = await enter(emailOf('admin'), demo.password);
  const { data: seen } = await admin.from('sales').select('*').eq('id', sale).single();
  await call(admin, 'sales-management', {
    action: 'validate',
    sale_id: sale,
    seen_version: seen.version,
    expected_contract_amount: seen.contract_amount,
    expected_client_commission_amount: seen.client_commission_amount,
    expected_commercial_commission_amount: seen.commercial_commission_amount,
  });
  await call(hugo, 'payment-request', {
    action: 'create',
    amount: 50,
    payment_method: 'virement',
    payment_details: { iban: 'FR76 3000 6000 0112 3456 7890 189', beneficiary_name: 'Hugo Bernard' },
  });
  const { data: requests } = await hugo.from('payment_requests').select('id, version');
  for (const [index, status] of ['approved', 'paid'].entries()) {
    await call(admin, 'payment-request?action=update_status', {
      request_id: requests[0].id,
      status,
      admin_notes: null,
      seen_version: requests[0].version + index,
      expected_amount: 50,
    });
  }
  await take('payment', {
    email: HUGO,
    password: PASSWORD,
    address: '/client/dashboard?section=demandes-de-paiement',
    find: (page) => page.getByRole('main'),
    height: STEP,
  });
  await take('overview', {
    email: emailOf('admin'),
    address: '/admin/dashboard',
    viewport: { width: 1280, height: 440 },
    find: (page) => page.locator('body'),
    height: 440,
  });
  await take('overview-phone', {
    email: emailOf('admin'),
    address: '/admin/dashboard',
    viewport: { width: 390, height: 420 },
    find: (page) => page.locator('body'),
    height: 420,
  });
  writeFileSync(path.join(TARGET, 'sizes.json'), `${JSON.stringify(sizes, null, 2)}\n`);
}

/** Position and size of an element on the page, in whole points. */
async function boxOf(element, page) {
  await element.waitFor();
  await whole(page);
  // A sheet slides in.
  await (await element.elementHandle()).waitForElementState('stable');
  const { x, y, width, height } = await element.boundingBox();
  return { x: Math.floor(x), y: Math.floor(y), width: Math.ceil(width), height: Math.ceil(height) };
}
