import { isControl, type Control } from '@parrain/domain/control';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';
import { refresh } from '../transport/refresh.ts';

/** A change of a control that binds admins, which waits for another admin or for its 72 hours (DF-24). */
export interface WaitingControl {
  id: string;
  control: Control;
  value: unknown;
  dueAt: string;
  askedBy: string | null;
  isOwn: boolean;
}

/** Outcome of a control that somebody set: the server's sentence, and whether it waits. */
export interface ControlAnswer {
  message: string;
  waits?: boolean;
}

export const waitingControlsQuery = queryOptions({
  queryKey: ['company-settings', 'controls'],
  queryFn: async (): Promise<WaitingControl[]> => {
    const { data } = await callFunction<{ data: Row[] }>('company-settings', {
      method: 'GET',
      query: { action: 'controls' },
    });
    return data.flatMap(({ id, control, value, due_at, asked_by_name, is_own }) =>
      isControl(control) ? [{ id, control, value, dueAt: due_at, askedBy: asked_by_name, isOwn: is_own }] : [],
    );
  },
  ...live,
});

export async function endControl({ id, isConfirmed }: { id: string; isConfirmed: boolean }): Promise<void> {
  await callFunction('company-settings', {
    body: { action: isConfirmed ? 'confirm_control' : 'withdraw_control', change_id: id },
  });
  refresh();
}

interface Row {
  id: string;
  control: string;
  value: unknown;
  due_at: string;
  asked_by_name: string | null;
  is_own: boolean;
}
