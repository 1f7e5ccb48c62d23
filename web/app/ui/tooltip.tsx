import { useEffect, useRef, useState, type ComponentProps, type ReactNode } from 'react';
import type { TooltipBubble } from './tooltip-bubble.tsx';

type Handlers = Pick<
  ComponentProps<'button'>,
  'onPointerEnter' | 'onPointerLeave' | 'onPointerDown' | 'onFocus' | 'onBlur'
>;

const openDelayMs = 350;
/** Time for the pointer to reach the word, which stays as long as it is there (WCAG 1.4.13). */
const closeDelayMs = 120;

/**
 * A short word on hover or focus, whose code comes when one is first asked for. It repeats or completes a name that assistive
 * tools already have: never the only text. Gives what to spread on the button, and what to render beside it.
 */
export function useTooltip(content: string, isOff: boolean, own: Handlers): { handlers: Handlers; bubble: ReactNode } {
  const [shown, setShown] = useState<{ anchor: HTMLElement; Bubble: typeof TooltipBubble }>();
  const timer = useRef<number>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const after = (delay: number, work: () => void) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(work, delay);
  };
  const open = (anchor: HTMLElement, delay: number) => {
    // Without a network the word does not come, and the button's name is there all the same.
    const coming = import('./tooltip-bubble.tsx').catch(() => undefined);
    after(delay, () => {
      const mine = timer.current;
      void coming.then((module) => {
        if (module && timer.current === mine) setShown({ anchor, Bubble: module.TooltipBubble });
      });
    });
  };
  // At once: a timer may run late on a busy page, and whoever goes on by keyboard would meet the word over what comes next.
  const close = () => {
    window.clearTimeout(timer.current);
    timer.current = undefined;
    setShown(undefined);
  };
  return {
    handlers: {
      onPointerEnter: (event) => {
        own.onPointerEnter?.(event);
        if (event.pointerType === 'mouse') open(event.currentTarget, openDelayMs);
      },
      onPointerLeave: (event) => {
        own.onPointerLeave?.(event);
        after(closeDelayMs, close);
      },
      onPointerDown: (event) => {
        own.onPointerDown?.(event);
        close();
      },
      onFocus: (event) => {
        own.onFocus?.(event);
        if (event.currentTarget.matches(':focus-visible')) open(event.currentTarget, 0);
      },
      onBlur: (event) => {
        own.onBlur?.(event);
        close();
      },
    },
    bubble: shown && !isOff && (
      <shown.Bubble
        anchor={shown.anchor}
        onPointerEnter={() => window.clearTimeout(timer.current)}
        onPointerLeave={close}
        onClose={close}
      >
        {content}
      </shown.Bubble>
    ),
  };
}
