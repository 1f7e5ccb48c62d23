import type { Transaction } from '#platform/database';
import type { Mail } from '#platform/mail';

import { html } from './html.ts';
import type { Html } from './html.ts';

/** In whose name a mail is written. */
export type Sender = {
  readonly companyName: string;
  /** An absolute address; null where there is no logo. */
  readonly logoUrl: string | null;
  /** The address people use, without a trailing slash. */
  readonly publicUrl: string;
};

/** The company's name and logo as they are now, within the transaction that writes the mail. */
export async function readSender(tx: Transaction, publicUrl: string): Promise<Sender> {
  const { rows } = await tx.query<{ company_name: string; logo_url: string | null }>(
    'select company_name, logo_url from public.company_settings',
  );
  const [row] = rows;
  const logo = typeof row?.logo_url === 'string' ? URL.parse(row.logo_url, publicUrl) : null;
  return { companyName: row?.company_name ?? 'Mon Entreprise', logoUrl: logo?.href ?? null, publicUrl };
}

/** One part of a mail, in both its forms. */
export type Block = { readonly html: Html; readonly text: string };

export function paragraph(content: Html, text: string): Block {
  return { html: html`<p style="margin:0 0 16px">${content}</p>`, text };
}

/** A short table of a name and a value each, such as credentials. */
export function facts(rows: readonly (readonly [name: string, value: string])[]): Block {
  const cells = rows.map(
    ([name, value]) =>
      html`<tr>
        <td style="padding:4px 16px 4px 0;color:#585d6b">${name}</td>
        <td style="padding:4px 0;font-family:ui-monospace,Menlo,Consolas,monospace;font-size:15px">${value}</td>
      </tr>`,
  );
  return {
    html: html`<table role="presentation" style="margin:0 0 16px;border-collapse:collapse">
      ${cells}
    </table>`,
    text: rows.map(([name, value]) => `${name} : ${value}`).join('\n'),
  };
}

export function button(label: string, href: string): Block {
  return {
    html: html`<p style="margin:24px 0">
        <a
          href="${href}"
          style="background:#0b5a40;color:#ffffff;padding:12px 20px;border-radius:8px;text-decoration:none;display:inline-block"
          >${label}</a
        >
      </p>
      <p style="margin:0 0 16px;font-size:13px;color:#585d6b">${href}</p>`,
    text: `${label} : ${href}`,
  };
}

/** A quotation of a person's own words. */
export function quotation(content: Html, text: string): Block {
  return {
    html: html`<blockquote style="margin:0 0 16px;padding:8px 16px;border-left:3px solid #d8d5cb;color:#353a4c">
      ${content}
    </blockquote>`,
    text: text.replace(/^/gmu, '> '),
  };
}

/** A whole mail, in French, as HTML and as text with the same words. */
export function mail(
  sender: Sender,
  content: {
    readonly template: string;
    readonly to: string;
    readonly subject: string;
    readonly blocks: readonly Block[];
    /** Small print: why this mail came. */
    readonly why: string;
    /** Unsubscribe address of the recipient. */
    readonly unsubscribe?: { readonly label: string; readonly url: string };
  },
): Mail {
  const { companyName, logoUrl } = sender;
  const logo =
    logoUrl === null
      ? html``
      : html`<img
          src="${logoUrl}"
          alt=""
          height="48"
          style="display:block;max-width:200px;height:48px;object-fit:contain;margin:0 0 8px"
        />`;
  const { unsubscribe } = content;
  const no =
    unsubscribe === undefined
      ? html``
      : html`<p style="margin:8px 0 0;font-size:13px">
          <a href="${unsubscribe.url}" style="color:#585d6b">${unsubscribe.label}</a>
        </p>`;
  const why = unsubscribe === undefined ? content.why : `${content.why}\n${unsubscribe.label} : ${unsubscribe.url}`;
  const page = html`<!doctype html>
    <html lang="fr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${content.subject}</title>
      </head>
      <body
        style="margin:0;background:#f8f7f2;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;color:#1a1f36"
      >
        <div style="max-width:560px;margin:0 auto;padding:32px 16px">
          <div style="margin:0 0 24px">${logo}<strong>${companyName}</strong></div>
          <div style="background:#ffffff;border-radius:12px;padding:24px">
            ${content.blocks.map((block) => block.html)}
          </div>
          <p style="margin:24px 0 0;font-size:13px;color:#585d6b">${content.why}</p>
          ${no}
        </div>
      </body>
    </html>`;
  return {
    to: content.to,
    subject: content.subject,
    html: page.html,
    text: [companyName, ...content.blocks.map((block) => block.text), `--\n${why}`].join('\n\n') + '\n',
    template: content.template,
    ...(unsubscribe === undefined ? {} : { unsubscribeUrl: unsubscribe.url }),
  };
}
