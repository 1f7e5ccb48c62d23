import clsx from 'clsx';
import { LoaderCircle } from 'lucide-react';
import type { ComponentProps, MouseEvent, ReactNode } from 'react';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger' | 'accent';
export type ButtonSize = 'sm' | 'md' | 'lg';

export interface ButtonProps extends ComponentProps<'button'> {
  /** primary: the one action of the screen. accent: the landing page's call. danger: what cannot be undone. */
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  icon?: ReactNode;
  /** The work is under way: the button stays in place, says so, and takes no second click. */
  pending?: boolean | undefined;
}

/**
 * A button. `type` is `button` unless said otherwise, so that it never submits a form by accident. One that can be `pending` takes a double
 * press once.
 */
export function Button({ variant, size, icon, pending, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      data-screen-only=""
      {...rest}
      aria-busy={pending || undefined}
      aria-disabled={pending || rest['aria-disabled']}
      className={clsx(buttonClass({ variant, size }), className)}
      onClick={(event) => {
        if (pending || (pending === false && isPressedAgain(event))) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {pending ? <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin" /> : icon}
      {children}
    </button>
  );
}

let pressed: EventTarget | undefined;

/** A double click's second half, or a press before React has drawn what the first one started: an instant later it has. */
function isPressedAgain({ currentTarget, detail }: MouseEvent): boolean {
  if (detail > 1 || pressed === currentTarget) return true;
  pressed = currentTarget;
  setTimeout(() => (pressed = undefined), 50);
  return false;
}

/** The button's look for what is not a button: `<Link className={buttonClass({ variant: 'accent' })}>`. */
export function buttonClass({
  variant = 'secondary',
  size = 'md',
}: { variant?: ButtonVariant | undefined; size?: ButtonSize | undefined } = {}) {
  return clsx(
    'inline-flex shrink-0 items-center justify-center gap-2 rounded-field border font-medium whitespace-nowrap select-none',
    'transition-colors duration-120 disabled:opacity-55 [&_svg]:shrink-0',
    sizes[size],
    variants[variant],
  );
}

const sizes: Record<ButtonSize, string> = {
  sm: 'h-8 px-3 text-sm tap-target [&_svg]:size-3.5',
  md: 'h-10 px-4 text-base tap-target [&_svg]:size-4',
  lg: 'h-12 px-5 text-base [&_svg]:size-4.5',
};

const variants: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-sapin text-on-sapin hover:bg-sapin-strong aria-busy:bg-sapin-strong',
  secondary: 'border-edge/60 bg-sheet text-encre hover:border-edge hover:bg-well',
  quiet:
    'border-transparent bg-transparent text-encre-soft hover:bg-well hover:text-encre aria-pressed:bg-sapin-tint aria-pressed:text-sapin-strong',
  danger: 'border-transparent bg-danger text-on-danger hover:bg-danger-strong aria-busy:bg-danger-strong',
  accent: 'border-transparent bg-corail text-on-corail hover:bg-corail-strong',
};
