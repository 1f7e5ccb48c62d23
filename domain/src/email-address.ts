import { withoutInvisible } from './visible-text.ts';

// The one reading of an e-mail address (DF-30), whatever the door: forms, sign-in, imports, keys, public pages. private.address_of and
// private.mailbox_of of the database give the same forms.

/** RFC 5321: what is delivered. */
const localLengthMax = 64;
const addressLengthMax = 254;
/** Length accepted as typed or pasted: more than an address has, for the invisible characters among it. */
const typedLengthMax = 1_000;

/** RFC 5321's Dot-string. A quoted string is legal and used by nobody; a letter beyond ASCII is refused by most mail servers. */
const local = /^[a-z\d!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z\d!#$%&'*+/=?^_`{|}~-]+)*$/u;
const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/u;

/** An address in its one form: lower case, full-width letters folded, invisible characters out, the domain in ASCII. Null for what is none. */
export function emailAddress(text: string): string | null {
  if (text.length > typedLengthMax) return null;
  const address = addressForm(text);
  const [name = '', domain = '', ...rest] = address.split('@');
  const labels = domain.split('.');
  const isAddress =
    rest.length === 0 &&
    address.length <= addressLengthMax &&
    name.length <= localLengthMax &&
    local.test(name) &&
    labels.length > 1 &&
    labels.every((one) => label.test(one)) &&
    !/^\d+$/u.test(labels.at(-1) ?? '');
  return isAddress ? address : null;
}

/** The same form of any text, address or not: what an account is looked up by. */
export function addressForm(text: string): string {
  const folded = withoutInvisible(text.normalize('NFKC')).trim().toLowerCase().normalize('NFC');
  const at = folded.lastIndexOf('@');
  if (at < 0) return folded;
  return `${folded.slice(0, at)}@${asciiDomain(folded.slice(at + 1).replaceAll('。', '.'))}`;
}

/** « café.fr » is « xn--caf-dma.fr », as mail servers write it; what is no domain stays as it is. */
function asciiDomain(domain: string): string {
  if (/^[\0-\u007f]*$/u.test(domain) || /[\s%/\\?#:@[\]]/u.test(domain)) return domain;
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return domain;
  }
}

/**
 * The mailbox that an address leads to: what is compared wherever a person is meant. Suffixes after « + » reach the same mailbox,
 * and Gmail reads no dots.
 */
export function mailboxOf(address: string): string {
  const form = addressForm(address);
  const at = form.indexOf('@');
  if (at < 0) return form;
  const domain = form.slice(at + 1);
  const name = form.slice(0, at);
  const bare = name.startsWith('+') ? name : (name.split('+')[0] ?? name);
  return domain === 'gmail.com' || domain === 'googlemail.com'
    ? `${(name.split('+')[0] ?? '').replaceAll('.', '')}@gmail.com`
    : `${bare}@${domain}`;
}
