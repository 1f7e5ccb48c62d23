import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Button, type ButtonProps } from './button.tsx';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('takes a press once until what it started can be drawn, or a double click is over', () => {
  const sent = vi.fn<() => void>();
  const press = pressOn({ pending: false, onClick: sent });
  expect(press()).toBe('taken');
  expect(press()).toBe('refused');
  expect(sent).toHaveBeenCalledTimes(1);

  vi.advanceTimersByTime(60);
  expect(press(2)).toBe('refused');
  expect(press()).toBe('taken');
  expect(sent).toHaveBeenCalledTimes(2);
});

test('takes no press while its work is under way, and every press where it starts none', () => {
  const sent = vi.fn<() => void>();
  expect(pressOn({ pending: true, onClick: sent })()).toBe('refused');
  expect(sent).not.toHaveBeenCalled();

  const next = pressOn({ onClick: sent });
  expect([next(), next(2), next(3)]).toEqual(['taken', 'taken', 'taken']);
  expect(sent).toHaveBeenCalledTimes(3);
});

/** A refused press submits no form either. */
function pressOn(props: ButtonProps) {
  const currentTarget = {};
  return (detail = 1) => {
    const preventDefault = vi.fn<() => void>();
    const { onClick } = Button(props).props as { onClick: (event: object) => void };
    onClick({ currentTarget, detail, preventDefault });
    return preventDefault.mock.calls.length === 0 ? 'taken' : 'refused';
  };
}
