import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { base58 } from '@scure/base';

import type { Web3Chain } from '#platform/identity-providers';

/** True where the wallet of this address signed the message; a malformed signature is false. */
export function isSignedBy(chain: Web3Chain, address: string, message: string, signature: string): boolean {
  try {
    switch (chain) {
      case 'ethereum':
        return ethereumSigner(message, signature) === address.toLowerCase();
      case 'solana':
        return isSignedBySolana(address, message, signature);
    }
  } catch {
    // Points that are not on the curve, numbers out of range: the libraries throw.
    return false;
  }
}

/** The signer's address, by EIP-191, in lower case; null for a malformed signature. */
function ethereumSigner(message: string, signature: string): string | null {
  if (!/^0x[\da-f]{130}$/iu.test(signature)) return null;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const last = bytes[64] ?? 0;
  const recovery = last >= 27 ? last - 27 : last;
  if (recovery !== 0 && recovery !== 1) return null;
  const text = Buffer.from(message);
  const hash = keccak_256(Buffer.concat([Buffer.from(`\u0019Ethereum Signed Message:\n${text.length}`), text]));
  const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact').addRecoveryBit(recovery);
  if (parsed.hasHighS()) return null;
  const publicKey = parsed.recoverPublicKey(hash).toBytes(false);
  return `0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex')}`;
}

function isSignedBySolana(address: string, message: string, signature: string): boolean {
  if (!/^[\w+/-]{86}(?:==)?$/u.test(signature)) return false;
  const bytes = Buffer.from(signature, 'base64');
  const publicKey = base58.decode(address);
  if (bytes.length !== 64 || publicKey.length !== 32) return false;
  const text = Buffer.from(message);
  return [text, ...offChainEnvelopes(text, publicKey)].some((signed) =>
    ed25519.verify(bytes, signed, publicKey, { zip215: false }),
  );
}

/**
 * The envelope that a hardware wallet signs in place of bare text, so that no text can be a transaction: the short form and
 * the full.
 */
function offChainEnvelopes(text: Buffer, signer: Uint8Array): Buffer[] {
  if (text.length > 0xffff) return [];
  const domain = Buffer.from('\u00ffsolana offchain', 'latin1');
  const length = Buffer.alloc(2);
  length.writeUInt16LE(text.length);
  return [0, 1, 2].flatMap((format) => [
    Buffer.concat([domain, Buffer.of(0, format), length, text]),
    Buffer.concat([domain, Buffer.of(0), Buffer.alloc(32), Buffer.of(format, 1), signer, length, text]),
  ]);
}
