import { useState } from 'react';

/** Text that a field holds, ahead of the address that follows it. */
export interface Ahead {
  typed: string;
  setTyped: (text: string) => void;
  /** The address is about to show this text. */
  noteSent: (text: string) => void;
}

/**
 * The text of a field that the address follows, `shown`: the address comes later than what is typed meanwhile, and must not
 * take it back. Back, a view or a click in the menu changes the address from outside: the field follows.
 */
export function useAhead(shown: string): Ahead {
  const [typed, setTyped] = useState(shown);
  const [seen, setSeen] = useState(shown);
  // The texts that were sent and that the address does not show yet.
  const [sent, setSent] = useState<readonly string[]>([]);
  if (shown !== seen) {
    setSeen(shown);
    const at = sent.indexOf(shown);
    setSent(at === -1 ? [] : sent.slice(at + 1));
    if (at === -1 && typed.trim() !== shown) setTyped(shown);
  }
  return { typed, setTyped, noteSent: (text) => setSent((before) => [...before, text]) };
}
