import { useState } from 'react';

/** The last value there was: what a closing panel still shows while it slides away. */
export function useLast<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
