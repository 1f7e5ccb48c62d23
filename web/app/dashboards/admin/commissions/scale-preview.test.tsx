import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import { noRules, type RulesDraft } from './rules-draft.ts';
import { ScalePreview } from './scale-preview.tsx';

const read = (client: string, commercial: string, rules: RulesDraft = noRules): string =>
  renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={new QueryClient()}>
        <ScalePreview
          values={{
            client_commission_type: 'percentage',
            client_commission_amount: client,
            client_rules: rules,
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

test('[SC-02] a side with steps reads itself back as a sentence with an example that crosses its last step', () => {
  const rules: RulesDraft = {
    ...noRules,
    steps: 'slice',
    above: [{ from: '10 000', value: '4' }],
    capPeriod: '2 000',
  };
  const html = read('3', '2', rules);
  expect(html).toContain('value="12\u202f000,00"');
  expect(html).toContain(
    '3\u00a0% jusqu’à 10\u202f000\u00a0€, puis 4\u00a0% au-delà, sur les contrats de l’année\u00a0; plafond de 2\u202f000\u00a0€ par an\u00a0; sur 12\u202f000\u00a0€\u00a0: 380,00\u00a0€',
  );
  // The other side stays a rate, on the same example.
  expect(html).toContain('2\u00a0% de 12\u202f000,00\u00a0€ = 240,00\u00a0€');
  expect(read('3', '2', { ...rules, capPeriod: 'beaucoup' })).toContain('Paliers, plafonds ou prime à compléter');
});
