import { formatEuros } from '@parrain/domain/money';
import type { Cents } from '@parrain/domain/money';
import { brandColorDefault, brandOnDark, inkOn } from '@parrain/domain/brand-color';
import { french } from '@parrain/domain/typography';

import type { Transaction } from './database.ts';
import { html, lines, raw } from './html.ts';
import type { Html } from './html.ts';
import type { Mail } from './mail.ts';
import { LOGO_CID } from './mail.ts';

/** In whose name a mail is written. */
export type Sender = {
  readonly companyName: string;
  /** True when the company has a logo: its picture travels with the mail. */
  readonly hasLogo: boolean;
  /** « #0b5a40 »: of the band and of the buttons. */
  readonly color: string;
  /** The address people use, without a trailing slash. */
  readonly publicUrl: string;
};

/** The company's name, logo and colour as they are now, within the transaction that writes the mail. */
export async function readSender(tx: Transaction, publicUrl: string): Promise<Sender> {
  const { rows } = await tx.query<{ company_name: string; logo_url: string | null; brand_color: string | null }>(
    'select company_name, logo_url, brand_color from public.company_settings where id = 1',
  );
  const [row] = rows;
  return {
    companyName: row?.company_name ?? 'Mon Entreprise',
    hasLogo: (row?.logo_url ?? null) !== null,
    color: row?.brand_color ?? brandColorDefault,
    publicUrl,
  };
}

/** One part of a mail, in both its forms. */
export type Block = (look: Look) => { readonly html: Html; readonly text: string };

/** Colours of the company that blocks use. */
type Look = { readonly color: string; readonly ink: string };

/** A sentence with other people's words in it, each isolated so that its direction of reading turns nothing else around. */
export type Phrase = { readonly html: Html; readonly text: string };

/** « {name} vous invite »: what fills the holes is text, and escaped. */
export function phrase(strings: TemplateStringsArray, ...holes: readonly string[]): Phrase {
  return {
    html: html`${strings.map((part, index) => {
      const hole = holes[index];
      return hole === undefined ? html`${french(part)}` : html`${french(part)}<bdi>${hole}</bdi>`;
    })}`,
    text: strings.reduce((done, part, index) => done + (holes[index - 1] ?? '') + part),
  };
}

function phraseOf(content: string | Phrase): Phrase {
  return typeof content === 'string' ? { html: html`${french(content)}`, text: content } : content;
}

/** The mail's heading. */
export function title(content: string | Phrase): Block {
  const { html: inside, text } = phraseOf(content);
  return () => ({
    html: html`<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;color:${INK}">${inside}</h1>`,
    text,
  });
}

export function paragraph(content: string | Phrase): Block {
  const { html: inside, text } = phraseOf(content);
  return () => ({ html: html`<p style="margin:0 0 16px">${inside}</p>`, text });
}

/** Small print within the mail. */
export function small(content: string | Phrase): Block {
  const { html: inside, text } = phraseOf(content);
  return () => ({
    html: html`<p class="soft" style="margin:0 0 8px;font-size:13px;line-height:1.5;color:${SOFT}">${inside}</p>`,
    text,
  });
}

/** An amount of money on its own line, under its name. */
export function amount(name: string, cents: Cents): Block {
  const euros = formatEuros(cents);
  return () => ({
    html: html`<p style="margin:0 0 16px">
      <span class="soft" style="font-size:13px;color:${SOFT}">${name}</span><br />
      <strong class="ink" style="font-size:26px;line-height:1.3;color:${INK};white-space:nowrap">${euros}</strong>
    </p>`,
    text: `${name} : ${euros}`,
  });
}

/** A short table of a name and a value each, such as credentials. */
export function facts(rows: readonly (readonly [name: string, value: string])[]): Block {
  return () => ({
    html: html`<table
      role="presentation"
      cellpadding="0"
      cellspacing="0"
      style="margin:0 0 16px;border-collapse:collapse;width:100%"
    >
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <td
              class="soft line fact"
              style="overflow-wrap:normal;word-break:normal;padding:8px 16px 8px 0;vertical-align:top;border-bottom:1px solid ${LINE};color:${SOFT}"
            >
              ${french(name)}
            </td>
            <td
              class="ink line fact"
              style="padding:8px 0;vertical-align:top;border-bottom:1px solid ${LINE};color:${INK};overflow-wrap:anywhere;word-break:break-word"
            >
              <bdi>${value}</bdi>
            </td>
          </tr>`,
      )}
    </table>`,
    text: rows.map(([name, value]) => `${name} : ${value}`).join('\n'),
  });
}

/** Lines of a heading, which leads to what it names, and a sentence each. */
export function items(rows: readonly { readonly title: string; readonly text: string; readonly url: string }[]): Block {
  return () => ({
    html: html`${rows.map(
      ({ title: heading, text, url }) =>
        html`<p class="line" style="margin:0 0 12px;padding:0 0 12px;border-bottom:1px solid ${LINE}">
          <strong><a class="ink" href="${url}" style="color:${INK}">${french(heading)}</a></strong
          ><br />${french(text)}
        </p>`,
    )}`,
    text: rows.map(({ title: heading, text, url }) => `* ${heading}\n  ${text}\n  ${url}`).join('\n'),
  });
}

/** A button, and its address for those whose program shows no links. */
export function button(label: string, href: string): Block {
  return ({ color, ink }) => ({
    html: html`<table
        role="presentation"
        cellpadding="0"
        cellspacing="0"
        style="margin:8px 0 12px;border-collapse:separate"
      >
        <tr>
          <td style="border-radius:8px;background:${color}">
            <a
              class="brand-line"
              href="${href}"
              style="display:inline-block;padding:12px 20px;border-radius:8px;border:1px solid ${color};background:${color};color:${ink};font-weight:600;text-decoration:none"
              >${label}</a
            >
          </td>
        </tr>
      </table>
      <p
        class="soft"
        style="margin:0 0 16px;font-size:13px;line-height:1.5;color:${SOFT};overflow-wrap:anywhere;word-break:break-word"
      >
        ${href}
      </p>`,
    text: `${label} :\n${href}`,
  });
}

/** A quotation of a person's own words. */
export function quotation(text: string): Block {
  return ({ color }) => ({
    html: html`<table
      role="presentation"
      cellpadding="0"
      cellspacing="0"
      style="margin:0 0 16px;width:100%;border-collapse:collapse"
    >
      <tr>
        <td
          class="ink brand-line"
          style="padding:4px 16px;border-left:3px solid ${color};color:${INK};overflow-wrap:anywhere;word-break:break-word"
        >
          <bdi>${lines(text)}</bdi>
        </td>
      </tr>
    </table>`,
    text: text.replace(/^/gmu, '> '),
  });
}

const INK = '#1a1f36';
const SOFT = '#585d6b';
const LINE = '#e6e3da';
/** Background of a mail's text in dark mode. */
const DARK_SHEET = '#1b2030';

/**
 * Style sheet of a mail. Dark programs that read rules take these; Gmail turns colours around by itself, and those of the page bear it.
 * `data-ogsc` and `data-ogsb` are Outlook's own words for its dark mode.
 */
const styleOf = (brand: string): Html =>
  raw(`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
a { color: inherit; }
@media (max-width: 480px) {
  .sheet { padding: 24px 20px !important; }
  .page { padding: 16px 8px !important; }
  .fact { display: block !important; }
  .soft.fact { padding: 8px 0 0 !important; border-bottom: 0 !important; font-size: 13px !important; }
  .ink.fact { padding: 0 0 8px !important; }
}
@media (prefers-color-scheme: dark) {
  .page { background: #11141f !important; }
  .sheet { background: ${DARK_SHEET} !important; color: #eceef4 !important; }
  .ink { color: #eceef4 !important; }
  .soft { color: #aeb4c4 !important; }
  .line { border-color: #363d52 !important; }
  .band { background: ${brand} !important; }
  .brand-line { border-color: ${brand} !important; }
}
[data-ogsb] .page { background: #11141f !important; }
[data-ogsb] .sheet { background: ${DARK_SHEET} !important; }
[data-ogsb] .band { background: ${brand} !important; }
[data-ogsc] .sheet, [data-ogsc] .ink { color: #eceef4 !important; }
[data-ogsc] .soft { color: #aeb4c4 !important; }
`);
const MSO_OPEN = raw('<!--[if mso]><table role="presentation" width="600" align="center"><tr><td><![endif]-->');
const MSO_CLOSE = raw('<!--[if mso]></td></tr></table><![endif]-->');

/** Opt-out link under a mail. */
export type Refusal = {
  readonly label: string;
  /** The page where a button says no. */
  readonly url: string;
  /** Address that mail programs post to by themselves (RFC 8058). */
  readonly oneClickUrl: string;
};

export type MailContent = {
  readonly template: string;
  readonly to: string;
  /** Address for replies, where it is not the company's own. */
  readonly replyTo?: string | undefined;
  readonly subject: string;
  /** The line that lists of mails show after the subject; the first words of the mail otherwise. */
  readonly preview?: string;
  readonly blocks: readonly Block[];
  /** Small print: why this mail came. */
  readonly why: string;
  readonly unsubscribe?: Refusal;
};

/** A whole mail, in French, as HTML and as text with the same words. */
export function mail(sender: Sender, content: MailContent): Mail {
  const { companyName, color } = sender;
  const { unsubscribe, preview } = content;
  const look = { color, ink: inkOn(color) };
  const blocks = content.blocks.map((block) => block(look));
  const logo = sender.hasLogo
    ? html`<img
        src="cid:${LOGO_CID}"
        alt=""
        height="40"
        style="display:block;height:40px;max-width:200px;object-fit:contain;border:0;margin:0 0 8px"
      />`
    : html``;
  const page = html`<!doctype html>
    <html lang="fr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no" />
        <title>${content.subject}</title>
        <style>
          ${styleOf(brandOnDark(color, DARK_SHEET))}
        </style>
      </head>
      <body style="margin:0;padding:0">
        <div style="display:none;max-height:0;overflow:hidden">${preview ?? ''}</div>
        <table
          role="presentation"
          class="page"
          width="100%"
          cellpadding="0"
          cellspacing="0"
          style="width:100%;background:#f5f3ec"
        >
          <tr>
            <td class="page" align="center" style="padding:32px 16px;background:#f5f3ec">
              ${MSO_OPEN}
              <table
                role="presentation"
                cellpadding="0"
                cellspacing="0"
                style="width:100%;max-width:600px;table-layout:fixed;border-collapse:separate;text-align:left;font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5"
              >
                <tr>
                  <td
                    class="ink"
                    style="padding:0 0 16px;color:${INK};font-weight:600;overflow-wrap:anywhere;word-break:break-word"
                  >
                    ${logo}${companyName}
                  </td>
                </tr>
                <tr>
                  <td
                    class="band"
                    style="height:4px;line-height:4px;font-size:0;background:${color};border-radius:12px 12px 0 0"
                  >
                    &nbsp;
                  </td>
                </tr>
                <tr>
                  <td
                    class="sheet"
                    style="padding:32px;background:#ffffff;color:${INK};border-radius:0 0 12px 12px;overflow-wrap:anywhere;word-break:break-word"
                  >
                    ${blocks.map((block) => block.html)}
                  </td>
                </tr>
                <tr>
                  <td
                    class="soft"
                    style="padding:20px 0 0;font-size:13px;line-height:1.5;color:${SOFT};overflow-wrap:anywhere;word-break:break-word"
                  >
                    ${french(content.why)}
                    ${
                      unsubscribe === undefined
                        ? html``
                        : html`<br /><a class="soft" href="${unsubscribe.url}" style="color:${SOFT}"
                              >${french(unsubscribe.label)}</a
                            >`
                    }
                  </td>
                </tr>
              </table>
              ${MSO_CLOSE}
            </td>
          </tr>
        </table>
      </body>
    </html>`;
  const no = unsubscribe === undefined ? [] : [`${unsubscribe.label} :\n${unsubscribe.url}`];
  return {
    to: content.to,
    subject: content.subject,
    html: page.html.replaceAll(/\n\s+/gu, '\n'),
    text: [...blocks.map((block) => block.text), `-- \n${companyName}`, content.why, ...no].join('\n\n') + '\n',
    template: content.template,
    ...(content.replyTo === undefined ? {} : { replyTo: content.replyTo }),
    ...(unsubscribe === undefined ? {} : { oneClickUrl: unsubscribe.oneClickUrl }),
  };
}
