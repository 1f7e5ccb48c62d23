/** True where the browser supports passkeys. */
export function canUsePasskeys(): boolean {
  return typeof window !== 'undefined' && window.isSecureContext && 'PublicKeyCredential' in window;
}
