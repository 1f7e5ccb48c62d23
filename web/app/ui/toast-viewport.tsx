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
          // Over the header, which stays: never over a row, nor over the buttons of a dialog or a side panel, which stand at the bottom
          // of a phone and to the right elsewhere. On a phone what stands before the page has its way out at the top.
          // Beside the menu of a dashboard.
          className="fixed inset-x-4 top-[calc(0.25rem+env(safe-area-inset-top))] z-70 flex flex-col gap-2 max-sm:in-[body:has([role=dialog][data-open])]:top-[calc(4.75rem+env(safe-area-inset-top))] sm:right-auto sm:left-[max(1rem,env(safe-area-inset-left))] sm:w-96 lg:in-[body:has([data-bottom-bar])]:left-68"
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
  const { toasts, close } = Base.useToastManager();
  return toasts.map((toast) => {
    const tone = isTone(toast.type) ? toast.type : 'info';
    const Icon = icons[tone];
    return (
      <Base.Root
        key={toast.id}
        toast={toast}
        swipeDirection={['right', 'up']}
        className={clsx(
          'rounded-card border border-hairline bg-sheet shadow-floating transition duration-160 ease-out',
          'data-ending-style:-translate-y-2 data-ending-style:opacity-0 data-starting-style:-translate-y-2 data-starting-style:opacity-0',
        )}
      >
        <Base.Content className="flex items-start gap-3 px-4 py-3">
          <Icon aria-hidden className={clsx('mt-0.5 size-4.5 shrink-0', colours[tone])} />
          <div className="min-w-0 flex-1">
            <Base.Title className="font-sans text-base font-medium tracking-normal" />
            <Base.Description className="text-sm text-encre-soft" />
            <Base.Action
              // Done once: what it says is no longer so.
              onClick={() => close(toast.id)}
              className="mt-1.5 text-sm font-medium text-sapin hover:text-sapin-strong"
            />
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
