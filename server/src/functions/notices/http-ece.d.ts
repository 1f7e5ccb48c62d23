declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  type Parameters = {
    readonly version: 'aes128gcm';
    /** The sender's; of a reader, their own. */
    readonly privateKey: ECDH;
    readonly authSecret: Buffer;
    /** The receiver's public key; a reader finds the sender's in the message. */
    readonly dh?: Buffer;
    readonly salt?: Buffer;
  };
  /** RFC 8188 and 8291. */
  const ece: {
    readonly encrypt: (plain: Buffer, parameters: Parameters) => Buffer;
    readonly decrypt: (sealed: Buffer, parameters: Parameters) => Buffer;
  };
  export default ece;
}
