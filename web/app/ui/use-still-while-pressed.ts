import { useState, useSyncExternalStore } from 'react';

/**
 * A value that does not change while the pointer is pressed: a field that loses the focus to a button says its error once the click
 * is done, and the button does not leave from under the pointer.
 */
export function useStillWhilePressed<Value>(value: Value): Value {
  const isPressed = useSyncExternalStore(subscribe, readPressed, () => false);
  const [shown, setShown] = useState(value);
  if (shown === value || isPressed) return shown;
  setShown(value);
  return value;
}

let isDown = false;
const listeners = new Set<() => void>();
const readPressed = () => isDown;

function say(next: boolean) {
  isDown = next;
  for (const listener of listeners) listener();
}

const press = () => say(true);
// The click comes after the release, in the same task.
const release = () => setTimeout(() => say(false));

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) listen(addEventListener);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    listen(removeEventListener);
    isDown = false;
  };
}

/** A finger's press is told as a mouse's too, once it is over. */
function listen(change: typeof addEventListener) {
  for (const type of ['pointerdown', 'mousedown']) change(type, press, true);
  for (const type of ['pointerup', 'pointercancel', 'mouseup', 'dragend']) change(type, release, true);
}
