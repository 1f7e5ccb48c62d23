import { useState } from 'react';

/** True from the first time on: a dialog whose code comes when it is asked for stays, so that it can leave as it came. */
export function useOnce(condition: boolean): boolean {
  const [was, setWas] = useState(condition);
  if (condition && !was) setWas(true);
  return was || condition;
}
