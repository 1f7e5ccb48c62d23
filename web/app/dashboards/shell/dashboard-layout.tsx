import { QueryClientProvider } from '@tanstack/react-query';
import { Outlet } from 'react-router';
import { queryClient } from '#api/query-client';
import { ToastProvider } from '#ui/toast';
import '../../i18n.ts';

/** What the three dashboards share: the knowledge of the server, the notices, the language. */
export default function DashboardLayout() {
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <Outlet />
      </ToastProvider>
    </QueryClientProvider>
  );
}
