import type { FirstStep, FirstSteps } from '@parrain/domain/first-steps';
import { queryOptions } from '@tanstack/react-query';
import { callFunction } from '../transport/call-function.ts';
import { queryClient } from '../transport/query-client.ts';

/** NV-08: where the company stands in its first steps. Read again with the figures, which change with what it is read from. */
export const firstStepsQuery = queryOptions({
  queryKey: ['figures', 'first-steps'],
  queryFn: async (): Promise<FirstSteps> => {
    const { data } = await callFunction<{ data: Row }>('company-settings', {
      method: 'GET',
      query: { action: 'first_steps' },
    });
    return {
      done: data.done,
      skipped: data.skipped,
      isEmpty: data.is_empty,
      hasTestData: data.has_test_data,
      isMailConfigured: data.is_mail_configured,
    };
  },
});

interface Row {
  done: readonly FirstStep[];
  skipped: readonly FirstStep[];
  is_empty: boolean;
  has_test_data: boolean;
  is_mail_configured: boolean;
}

/** Skips a step, or takes it up again. */
export async function skipFirstStep(step: FirstStep, skipped: boolean): Promise<void> {
  await callFunction('company-settings', { query: { action: 'skip_step' }, body: { step, skipped } });
  await queryClient.invalidateQueries({ queryKey: firstStepsQuery.queryKey });
}
