/** A text that the page before gave along with the navigation; undefined where it gave none. */
export function textInState(state: unknown, name: string): string | undefined {
  const text = typeof state === 'object' && state !== null ? Reflect.get(state, name) : undefined;
  return typeof text === 'string' ? text : undefined;
}
