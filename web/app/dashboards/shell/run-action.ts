import { registry, type Action } from './actions.tsx';

/** At once where the action's button is on screen, else in its section. */
export function runAction(action: Action, openSection: (id: string) => void): void {
  const here = registry.ready.findLast(({ id }) => id === action.id);
  if (here) here.run();
  else if (action.section !== undefined) {
    registry.awaited = action;
    openSection(action.section);
  }
}
