/** Ends a `switch` over a union: the compiler refuses the call as long as a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`Unreachable value: ${String(value)}`);
}
