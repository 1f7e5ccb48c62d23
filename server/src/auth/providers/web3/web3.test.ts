import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { clientOf } from '../../../testing/accounts.ts';
import { startTestServer } from '../../../testing/index.ts';
import type { TestServer } from '../../../testing/index.ts';

const SITE = 'https://app.example.fr/connexion';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    doors: ['auth', 'rest'],
    jobs: false,
    environment: { TRUST_PROXY: '1', WEB3: 'both', REDIRECT_URLS: 'https://app.example.fr' },
  });
});
afterAll(() => server.close());

let lastNetwork = 0;
function elsewhere(): Record<string, string> {
  lastNetwork += 1;
  return { 'x-forwarded-for': `10.4.${Math.floor(lastNetwork / 250)}.${(lastNetwork % 250) + 1}` };
}

/** A wallet as browsers know it (EIP-1193). */
function ethereumWallet(): {
  readonly address: string;
  readonly sign: (message: string) => string;
  readonly wallet: {
    readonly request: (args: { readonly method: string; readonly params?: unknown[] }) => Promise<unknown>;
  };
} {
  const secret = secp256k1.utils.randomSecretKey();
  const hash = keccak_256(secp256k1.getPublicKey(secret, false).subarray(1));
  const address = `0x${Buffer.from(hash.subarray(12)).toString('hex')}`;
  function sign(message: string): string {
    const text = Buffer.from(message);
    const digest = keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${text.length}`), text]));
    const [recovery = 0, ...rs] = secp256k1.sign(digest, secret, { prehash: false, format: 'recovered' });
    return `0x${Buffer.from([...rs, recovery + 27]).toString('hex')}`;
  }
  return {
    address,
    sign,
    wallet: {
      async request({ method, params = [] }) {
        switch (method) {
          case 'eth_requestAccounts':
            return [address];
          case 'eth_chainId':
            return '0x1';
          case 'personal_sign':
            return sign(Buffer.from(String(params[0]).slice(2), 'hex').toString());
          default:
            throw new Error(`unknown method ${method}`);
        }
      },
    },
  };
}

function solanaWallet(): {
  readonly address: string;
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  readonly wallet: {
    readonly publicKey: { readonly toBase58: () => string };
    readonly signMessage: (bytes: Uint8Array) => Promise<Uint8Array>;
  };
} {
  const secret = ed25519.utils.randomSecretKey();
  const address = base58.encode(ed25519.getPublicKey(secret));
  const sign = (bytes: Uint8Array): Uint8Array => ed25519.sign(bytes, secret);
  return {
    address,
    sign,
    wallet: { publicKey: { toBase58: () => address }, signMessage: async (bytes) => sign(bytes) },
  };
}

type Details = {
  readonly domain?: string;
  readonly uri?: string;
  readonly version?: string;
  readonly issuedAt?: Date;
  readonly more?: readonly string[];
  readonly address?: string;
};

function siwe(address: string, details: Details = {}): string {
  return [
    `${details.domain ?? 'app.example.fr'} wants you to sign in with your Ethereum account:`,
    details.address ?? address,
    '',
    'Je me connecte.',
    '',
    `URI: ${details.uri ?? SITE}`,
    `Version: ${details.version ?? '1'}`,
    'Chain ID: 1',
    `Issued At: ${(details.issuedAt ?? new Date()).toISOString()}`,
    ...(details.more ?? []),
  ].join('\n');
}

async function post(body: unknown): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
  const response = await server.fetch('/auth/v1/token?grant_type=web3', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-supabase-api-version': '2024-01-01', ...elsewhere() },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('POST /token?grant_type=web3', () => {
  test("[AU-06, A-06] the official client enters with an Ethereum wallet: a client's account is created, and found again", async () => {
    const { wallet, address } = ethereumWallet();
    const client = clientOf(server, elsewhere());
    const { data, error } = await client.auth.signInWithWeb3({
      chain: 'ethereum',
      wallet: wallet as never,
      statement: 'Je me connecte à Parrain.',
      options: { url: SITE },
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      email: '',
      app_metadata: { provider: 'web3', providers: ['web3'], role: 'client' },
      user_metadata: { custom_claims: { address, chain: 'ethereum', network: '1', domain: 'app.example.fr' } },
    });
    expect(data.user?.identities).toMatchObject([{ provider: 'web3', id: `web3:ethereum:${address}` }]);
    expect((await client.auth.getClaims()).data?.claims['amr']).toMatchObject([{ method: 'web3' }]);
    expect((await client.from('profiles').select('role, email')).data).toEqual([{ role: 'client', email: '' }]);
    const again = await clientOf(server, elsewhere()).auth.signInWithWeb3({
      chain: 'ethereum',
      wallet: wallet as never,
      options: {
        url: SITE,
        signInWithEthereum: { nonce: 'abcdefgh1', resources: ['https://app.example.fr/conditions'] },
      },
    });
    expect(again.data.user?.id).toBe(data.user?.id);
  });

  test('[AU-06] the official client enters with a Solana wallet, with or without a statement, resources included', async () => {
    const { wallet, address } = solanaWallet();
    const { data, error } = await clientOf(server, elsewhere()).auth.signInWithWeb3({
      chain: 'solana',
      wallet,
      statement: 'Je me connecte à Parrain.',
      options: { url: SITE },
    });
    expect(error).toBeNull();
    expect(data.user?.identities).toMatchObject([{ id: `web3:solana:${address}` }]);
    const again = await clientOf(server, elsewhere()).auth.signInWithWeb3({
      chain: 'solana',
      wallet,
      options: {
        url: SITE,
        signInWithSolana: { chainId: 'solana:mainnet', resources: ['https://app.example.fr/conditions'] },
      },
    });
    expect(again.error).toBeNull();
    expect(again.data.user?.id).toBe(data.user?.id);
  });

  test('[AU-06] a Solana hardware wallet signs an envelope', async () => {
    const { address, sign } = solanaWallet();
    const message = siwe(address).replace('Ethereum', 'Solana');
    const text = Buffer.from(message);
    const length = Buffer.alloc(2);
    length.writeUInt16LE(text.length);
    const envelope = Buffer.concat([Buffer.from('\u00ffsolana offchain', 'latin1'), Buffer.of(0, 0), length, text]);
    const signature = Buffer.from(sign(envelope)).toString('base64');
    expect((await post({ chain: 'solana', message, signature })).status).toBe(200);
  });

  test('[AU-06][web3 replay] a message is good once, even signed differently, even twenty times at once', async () => {
    const { address, sign } = ethereumWallet();
    const message = siwe(address);
    const signature = sign(message);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post({ chain: 'ethereum', message, signature })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body['error'] === 'invalid_grant')).toHaveLength(19);
    const v = signature.endsWith('1b') ? '00' : '01';
    const otherwise = `${signature.slice(0, -2)}${v}`;
    expect((await post({ chain: 'ethereum', message, signature: otherwise })).status).toBe(400);
  });

  test.each<[string, Details]>([
    ['expired, without a start', { more: [`Expiration Time: ${new Date(Date.now() - 1000).toISOString()}`] }],
    ['not yet valid', { more: [`Not Before: ${new Date(Date.now() + 60_000).toISOString()}`] }],
    ['too old', { issuedAt: new Date(Date.now() - 11 * 60_000) }],
    ['from the future', { issuedAt: new Date(Date.now() + 11 * 60_000) }],
    ['for another site', { domain: 'pirate.example', uri: 'https://pirate.example/' }],
    ['of a domain other than its address', { domain: 'pirate.example' }],
    ['of an address other than its domain', { uri: 'https://pirate.example/' }],
    ['over plain HTTP', { uri: 'http://app.example.fr/' }],
    ['of another version', { version: '2' }],
    ['that says one thing twice', { more: ['Version: 1'] }],
    ['that says something else', { more: ['Cadeau: tout'] }],
    ['with an unreadable date', { more: ['Expiration Time: demain'] }],
    ['of another wallet', { address: `0x${'ab'.repeat(20)}` }],
  ])('[AU-06][SIWE expiry] a message %s is refused, in the words of OAuth', async (_what, details) => {
    const { address, sign } = ethereumWallet();
    const message = siwe(address, details);
    const { status, body } = await post({ chain: 'ethereum', message, signature: sign(message) });
    expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid_grant' });
  });

  test('[AU-06][auth#2625] a malformed signature of any kind is a refusal and never a failure', async () => {
    const ethereum = ethereumWallet();
    const solana = solanaWallet();
    const eth = siwe(ethereum.address);
    const sol = siwe(solana.address).replace('Ethereum', 'Solana');
    const hex = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;
    const signatures = [
      '',
      '0x',
      'zz',
      `0x${'00'.repeat(65)}`,
      `0x${'ff'.repeat(65)}`,
      `0x${'00'.repeat(64)}1b`,
      `0x${'ff'.repeat(64)}1c`,
      ethereum.sign(eth).slice(0, -2),
      `${ethereum.sign(eth).slice(0, -2)}05`,
      `${ethereum.sign(eth)}00`,
      ...Array.from({ length: 30 }, () => hex(Buffer.concat([randomBytes(64), Buffer.of(27)]))),
      randomBytes(64).toString('base64url'),
      randomBytes(64).toString('base64'),
      randomBytes(63).toString('base64url'),
      Buffer.alloc(64, 0xff).toString('base64url'),
      '\u0000'.repeat(86),
    ];
    for (const signature of signatures) {
      for (const [chain, message] of [
        ['ethereum', eth],
        ['solana', sol],
      ]) {
        const { status } = await post({ chain, message, signature });
        expect({ signature, chain, status }).toEqual({ signature, chain, status: 400 });
      }
    }
    // A key that is no point of the curve.
    const nowhere = sol.replace(solana.address, base58.encode(Buffer.alloc(32, 2)));
    expect((await post({ chain: 'solana', message: nowhere, signature: 'A'.repeat(86) })).status).toBe(400);
  });

  test('[AU-06] a malleated signature (high s) is refused', async () => {
    const { address, sign } = ethereumWallet();
    const message = siwe(address);
    const bytes = Buffer.from(sign(message).slice(2), 'hex');
    const order = secp256k1.Point.Fn.ORDER;
    const s = order - BigInt(`0x${bytes.subarray(32, 64).toString('hex')}`);
    const v = bytes[64] === 27 ? '1c' : '1b';
    const signature = `0x${bytes.subarray(0, 32).toString('hex')}${s.toString(16).padStart(64, '0')}${v}`;
    expect((await post({ chain: 'ethereum', message, signature })).status).toBe(400);
  });

  test('[AU-06] the size and the chain have their codes', async () => {
    const { address, sign } = ethereumWallet();
    for (const message of ['court', `${siwe(address)}\n${'x'.repeat(20_480)}`]) {
      const { status, body } = await post({ chain: 'ethereum', message, signature: sign(message) });
      expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'validation_failed' });
    }
    const other = await post({ chain: 'bitcoin', message: siwe(address), signature: '0x' });
    expect({ status: other.status, code: other.body['code'] }).toEqual({ status: 400, code: 'web3_unsupported_chain' });
  });

  test('[AU-06] one chain alone is on: the other is refused', async () => {
    const one = await startTestServer({ doors: ['auth'], jobs: false, environment: { WEB3: 'solana' } });
    try {
      const response = await one.fetch('/auth/v1/token?grant_type=web3', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chain: 'ethereum', message: 'x', signature: 'y' }),
      });
      expect(await response.json()).toMatchObject({ error_code: 'web3_unsupported_chain' });
      expect(await (await one.fetch('/auth/v1/settings')).json()).toMatchObject({ external: { web3: true } });
    } finally {
      await one.close();
    }
  });
});
