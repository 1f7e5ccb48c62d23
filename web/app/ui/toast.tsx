import type { Toast as Base } from '@base-ui/react/toast';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { lazyPart } from './lazy-part.tsx';

const ToastViewport = lazyPart(() => import('./toast-viewport.tsx'));
const afterFirstMs = 2_000;

export type ToastTone = 'success' | 'info' | 'error';

/** Queue that shows notices, once its code has come. */
export type ToastManager = Pick<ReturnType<typeof Base.useToastManager>, 'add'>;
type Notice = Parameters<ToastManager['add']>[0];

interface ToastExtras {
  description?: string | undefined;
  /** « Annuler » for what can be undone. */
  action?: { label: string; onClick: () => void } | undefined;
}

export interface Toasts {
  success: (title: string, extras?: ToastExtras) => void;
  info: (title: string, extras?: ToastExtras) => void;
  /** Stays until it is closed; the same error should also stand inline where it happened. */
  error: (title: string, extras?: ToastExtras) => void;
}

const ToastContext = createContext<((notice: Notice) => void) | undefined>(undefined);

/** Shows a notice at the edge: `const toast = useToast(); toast.success('Barème créé')`. F6 reaches the notices. */
export function useToast(): Toasts {
  const add = useContext(ToastContext);
  if (add === undefined) throw new Error('useToast outside of a ToastProvider');
  return useMemo(() => {
    const show =
      (tone: ToastTone) =>
      (title: string, { description, action }: ToastExtras = {}) => {
        add({
          type: tone,
          title,
          // An act that can be undone can be for ten seconds.
          timeout: tone === 'error' ? 0 : action === undefined ? 6_000 : 10_000,
          // « high » would hide the notice itself from assistive tools until it has the focus.
          priority: 'low',
          ...(description === undefined ? {} : { description }),
          ...(action === undefined ? {} : { actionProps: { children: action.label, onClick: action.onClick } }),
        });
      };
    return { success: show('success'), info: show('info'), error: show('error') };
  }, [add]);
}

/** Holds the notices of everything inside. One for the application. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [isNeeded, setIsNeeded] = useState(false);
  const [{ add, onReady }] = useState(() => {
    let manager: ToastManager | undefined;
    let waiting: Notice[] = [];
    return {
      add: (notice: Notice) => {
        if (manager === undefined) waiting.push(notice);
        else manager.add(notice);
        setIsNeeded(true);
      },
      onReady: (ready: ToastManager) => {
        manager = ready;
        for (const notice of waiting) ready.add(notice);
        waiting = [];
      },
    };
  });
  // Once the page stands, the place of notices is in it: a screen reader says what comes into a place, not with one (DF-82).
  useEffect(() => {
    const timer = setTimeout(() => setIsNeeded(true), afterFirstMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <ToastContext value={add}>
      {children}
      {isNeeded && <ToastViewport onReady={onReady} />}
    </ToastContext>
  );
}
