import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { ScalePreview } from './scale-preview.tsx';

const read = (client: string, commercial: string): string =>
  renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <ScalePreview
          values={{
            client_commission_type: 'percentage',
            client_commission_amount: client,
            commercial_commission_type: 'percentage',
            commercial_commission_amount: commercial,
          }}
        />
      </QueryClientProvider>
    </I18nextProvider>,
  );

test('[AD-08] [V-17] the preview of a scale asks only for a number that is not there; of a wrong one it says so, and its field says why', () => {
  const wrong = read('', '150');
  expect(wrong).toContain('Saisissez le montant client');
  expect(wrong).toContain('Montant à corriger');
  expect(wrong).not.toContain('Saisissez le montant commercial');
});
