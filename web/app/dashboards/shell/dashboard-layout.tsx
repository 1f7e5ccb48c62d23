import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Outlet } from 'react-router';
import { queryClient } from '#api/transport/query-client';
import { ToastProvider } from '#ui/toast';
import { whenIdle } from '#api/transport/idle';
import { startTranslation } from '../../translation.ts';

/** The providers that the three dashboards share: queries, toasts. */
export default function DashboardLayout() {
  useEffect(() => whenIdle(() => void startTranslation()), []);
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <Outlet />
      </ToastProvider>
    </QueryClientProvider>
  );
}
