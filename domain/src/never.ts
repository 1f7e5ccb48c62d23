/** True of the day from which an account may be used that its bank refused (AC-09): `private.never()`. */
export function isNever(instant: string | null): boolean {
  return instant?.startsWith('9999-') === true;
}
