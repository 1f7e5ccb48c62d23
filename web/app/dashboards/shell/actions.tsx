import { useEffect, useEffectEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isView } from '#api/transport/client';
import { Button, type ButtonProps } from '#ui/button';
import type { MenuItem } from '#ui/menu';

/**
 * Act that a person can do, declared once: the button that does it, the menu of a row, the palette and the keyboard read it (NV-03, NV-10).
 *
 * To add one: an entry in `<role>/actions.tsx`, and an `<ActionButton action={…}>` where its button stands. While the
 * button is on screen the action is run from there; from elsewhere the palette opens its section first, and the button runs
 * it as it comes.
 */
export interface Action {
  id: string;
  /** The button's words: « Ajouter un client ». */
  label: string;
  icon: ReactNode;
  /** Section of its button; without one it is offered only while that is on screen. */
  section?: string | undefined;
  /** The letter that runs it while its button is on screen. */
  letter?: string | undefined;
}

/** An action whose button is on screen and may be pressed. */
export interface ReadyAction extends Action {
  run: () => void;
}

export const registry: {
  /** The actions whose buttons are on screen, the newest last: a panel's come after those of the page under it. */
  ready: readonly ReadyAction[];
  /** The action whose section was opened to run it. */
  awaited?: Action | undefined;
} = { ready: [] };

/** An action as the item of a row's menu: its words and its icon are the registry's. */
export function menuItemOf(action: Action, onSelect: () => void, t: (label: string) => string): MenuItem {
  return { id: action.id, label: t(action.label), icon: action.icon, onSelect };
}

export interface ActionButtonProps extends Omit<ButtonProps, 'icon' | 'children' | 'onClick'> {
  action: Action;
  onRun: () => void;
}

/** Offers an action to the palette and to the keyboard while it is on screen, and runs it where its section was opened for it. */
export function useReadyAction(action: Action, onRun: () => void, isOff: boolean | undefined): void {
  const run = useEffectEvent(onRun);
  useEffect(() => {
    if (isOff) return undefined;
    const entry = { ...action, run };
    registry.ready = [...registry.ready, entry];
    if (registry.awaited?.id === action.id) {
      registry.awaited = undefined;
      run();
    }
    return () => {
      registry.ready = registry.ready.filter((other) => other !== entry);
    };
  }, [action, isOff]);
}

/** The button of an action: its words, its icon and its letter are the registry's. */
export function ActionButton({ action, onRun, ...rest }: ActionButtonProps) {
  const { t } = useTranslation();
  // On another's screen nothing is done (UI-15).
  const isOff = isView || rest.disabled;
  useReadyAction(action, onRun, isOff);
  return (
    <Button {...rest} disabled={isOff} icon={action.icon} onClick={onRun} aria-keyshortcuts={action.letter}>
      {t(action.label)}
    </Button>
  );
}
