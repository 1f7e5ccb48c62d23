import { QueryClientProvider } from '@tanstack/react-query';
import { I18nextProvider } from 'react-i18next';
import { Outlet } from 'react-router';
import { queryClient } from '#api/transport/query-client';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../i18n.ts';

/** The providers that the three dashboards share: queries, toasts, language. */
export default function DashboardLayout() {
  return (
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={queryClient}>
        <ToastProvider>
          <Outlet />
        </ToastProvider>
      </QueryClientProvider>
    </I18nextProvider>
  );
}
