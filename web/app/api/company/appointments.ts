import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { live } from '../transport/live.ts';
import { refresh } from '../transport/refresh.ts';

/** An appointment that a visitor of the public page asked for. */
export interface Appointment {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  slot: string | null;
  message: string | null;
  askedAt: string;
}

/** DF-10: those that wait for an admin, the oldest first, and how many there are. */
export const appointmentsQuery = queryOptions({
  queryKey: ['appointments'],
  queryFn: async (): Promise<{ total: number; appointments: readonly Appointment[] }> => {
    const { data } = await callFunction<{ data: Row[] }>('appointments', { method: 'GET', query: { action: 'list' } });
    return {
      total: data[0]?.total ?? 0,
      appointments: data.map(({ preferred_slot, created_at, total: _total, ...row }) => ({
        ...row,
        slot: preferred_slot,
        askedAt: created_at,
      })),
    };
  },
  ...live,
});

export async function handleAppointment(id: string): Promise<void> {
  await callFunction('appointments', { body: { action: 'handle', appointment_id: id } });
  refresh();
}

interface Row {
  id: string;
  name: string;
  email: string;
  phone: string | null;
  preferred_slot: string | null;
  message: string | null;
  created_at: string;
  total: number;
}
