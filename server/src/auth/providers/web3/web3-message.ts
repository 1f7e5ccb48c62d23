import type { Web3Chain } from '#platform/identity-providers';

/** The signed message of a wallet sign-in: the fields of EIP-4361, which Solana's wallets write in another order. */
export type Web3Message = {
  readonly domain: string;
  readonly address: string;
  readonly statement: string | null;
  readonly uri: string;
  readonly version: string;
  readonly chainId: string | null;
  readonly nonce: string | null;
  readonly issuedAt: Date;
  readonly expiresAt: Date | null;
  readonly notBefore: Date | null;
};

const CHAIN_NAMES: Readonly<Record<Web3Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };

const FIELDS = new Set([
  'URI',
  'Version',
  'Chain ID',
  'Nonce',
  'Issued At',
  'Expiration Time',
  'Not Before',
  'Request ID',
]);

/** The message as its fields; null for text that is no such message, or repeats a field. */
export function parseWeb3Message(chain: Web3Chain, message: string): Web3Message | null {
  const [first = '', address = '', blank, ...rest] = message.split('\n');
  const opening = ` wants you to sign in with your ${CHAIN_NAMES[chain]} account:`;
  if (!first.endsWith(opening) || blank !== '') return null;
  const domain = first.slice(0, -opening.length).replace(/^[a-z][a-z\d+.-]*:\/\//iu, '');
  if (domain === '' || /[\s/?#@\\]/u.test(domain)) return null;

  const { statement, lines } = splitStatement(rest);
  const fields = parseFields(lines);
  if (fields === null) return null;
  const issuedAt = time(fields.get('Issued At'));
  const expiresAt = time(fields.get('Expiration Time'));
  const notBefore = time(fields.get('Not Before'));
  const uri = fields.get('URI');
  const version = fields.get('Version');
  if (uri === undefined || version === undefined || issuedAt === null) return null;
  if (issuedAt === 'wrong' || expiresAt === 'wrong' || notBefore === 'wrong') return null;
  return {
    domain,
    address,
    statement,
    uri,
    version,
    chainId: fields.get('Chain ID') ?? null,
    nonce: fields.get('Nonce') ?? null,
    issuedAt,
    expiresAt,
    notBefore,
  };
}

/** The sentence for the person, where there is one, stands between two empty lines. */
function splitStatement(lines: readonly string[]): {
  readonly statement: string | null;
  readonly lines: readonly string[];
} {
  const [first = '', second] = lines;
  if (first === '') return { statement: null, lines: lines.slice(1) };
  if (second === '') return { statement: first, lines: lines.slice(2) };
  return { statement: null, lines };
}

function parseFields(lines: readonly string[]): ReadonlyMap<string, string> | null {
  const fields = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    // Resources come last, one a line.
    if (line === 'Resources:' || line === 'Resources') {
      return lines.slice(index + 1).every((resource) => resource.startsWith('- ')) ? fields : null;
    }
    const [, name = '', value = ''] = /^([A-Z][A-Za-z ]+): (.*)$/u.exec(line) ?? [];
    if (!FIELDS.has(name) || fields.has(name)) return null;
    fields.set(name, value);
  }
  return fields;
}

function time(text: string | undefined): Date | 'wrong' | null {
  if (text === undefined) return null;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/u.test(text)) return 'wrong';
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? 'wrong' : date;
}
