import { Toast as Base } from '@base-ui/react/toast';
import clsx from 'clsx';
import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { useEffect } from 'react';
import type { ToastManager, ToastTone } from './toast.tsx';

/** The notices on screen. Its code comes with the first one (toast.tsx). */
export default function ToastViewport({ onReady }: { onReady: (manager: ToastManager) => void }) {
  return (
    <Base.Provider limit={4}>
      <Ready onReady={onReady} />
      <Base.Portal>
        <Base.Viewport
          aria-label="Notifications"
          // Never over the buttons of a dialog or a side panel: those stand at the bottom of a phone, and to the right elsewhere.
          // Nor over the foot of a dashboard's menu.
          className="fixed inset-x-4 z-70 flex flex-col gap-2 max-lg:not-low:in-[body:has([data-bottom-bar])]:[--bottom-bar:3.75rem] max-sm:top-[calc(4.75rem+env(safe-area-inset-top))] sm:bottom-[calc(1rem+env(safe-area-inset-bottom)+var(--bottom-bar,0px))] sm:right-auto sm:left-[max(1rem,env(safe-area-inset-left))] sm:w-96 lg:in-[body:has([data-bottom-bar])]:left-68"
        >
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Ready({ onReady }: { onReady: (manager: ToastManager) => void }) {
  const { add } = Base.useToastManager();
  // Those who wait to show a notice stand outside of these components.
  useEffect(() => onReady({ add }), [onReady, add]);
  return null;
}

function ToastList() {
  const { toasts } = Base.useToastManager();
  return toasts.map((toast) => {
    const tone = isTone(toast.type) ? toast.type : 'info';
    const Icon = icons[tone];
    return (
      <Base.Root
        key={toast.id}
        toast={toast}
        swipeDirection={['right', 'down']}
        className={clsx(
          'rounded-card border border-hairline bg-sheet shadow-floating transition duration-160 ease-out',
          'data-ending-style:translate-y-2 data-ending-style:opacity-0 data-starting-style:translate-y-2 data-starting-style:opacity-0',
        )}
      >
        <Base.Content className="flex items-start gap-3 p-4">
          <Icon aria-hidden className={clsx('mt-0.5 size-4.5 shrink-0', colours[tone])} />
          <div className="min-w-0 flex-1">
            <Base.Title className="font-sans text-base font-medium tracking-normal" />
            <Base.Description className="text-sm text-encre-soft" />
            <Base.Action className="mt-1.5 text-sm font-medium text-sapin hover:text-sapin-strong" />
          </div>
          <Base.Close
            aria-label="Fermer la notification"
            // Base UI hides it until the pile is open, although the keyboard reaches it before.
            aria-hidden={false}
            className="tap-target -m-1.5 inline-flex size-8 items-center justify-center rounded-field text-encre-faint hover:bg-well hover:text-encre"
          >
            <X aria-hidden className="size-4" />
          </Base.Close>
        </Base.Content>
      </Base.Root>
    );
  });
}

function isTone(type: string | undefined): type is ToastTone {
  return type === 'success' || type === 'info' || type === 'error';
}

const icons = { success: CircleCheck, info: Info, error: CircleAlert } as const;
const colours = { success: 'text-green', info: 'text-blue', error: 'text-danger' } as const;
