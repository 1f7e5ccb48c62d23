import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { ScaleSimulation as Said } from '#api/scales/simulate-scale';
import { i18n } from '../../../i18n.ts';
import { noRules } from './rules-draft.ts';
import ScaleSimulation, { type ScaleSimulationProps } from './scale-simulation.tsx';

const values: ScaleSimulationProps['values'] = {
  name: 'Barème',
  description: '',
  client_commission_type: 'percentage',
  client_commission_amount: '3',
  commercial_commission_type: 'percentage',
  commercial_commission_amount: '5',
  client_hold_days: '0',
  from_contract_amount: '',
  client_rules: noRules,
  commercial_rules: noRules,
  last_day: null,
};
const nothing: Said = {
  totals: { contracts: 0, before: 0n, after: 0n },
  months: [{ month: '2030-07-01', contracts: 0, given: 0n, wouldGive: 0n }],
  payees: { gain: 0, lose: 0, same: 0 },
  gained: 0n,
  lost: 0n,
  most: [],
  nothing: [],
  largest: [],
};
const shown = (props: Partial<ScaleSimulationProps>) =>
  renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <ScaleSimulation
        values={values}
        said={undefined}
        pending={false}
        failure={undefined}
        onSimulate={() => undefined}
        {...props}
      />
    </I18nextProvider>,
  ).replaceAll(/[\u00a0\u202f]/gu, ' ');

test('[SC-05] without a contract in twelve months a sentence says so, and no empty table stands', () => {
  const page = shown({ said: { ...nothing, terms: '' } });
  expect(page).toContain('Aucun contrat validé avec ce barème en douze mois');
  expect(page).not.toContain('<figure');
  expect(page).not.toContain('<table');
});

test('[SC-05] while it is computed it says so, and a refusal says why', () => {
  expect(shown({ pending: true })).toContain('Calcul sur douze mois de contrats…');
  expect(shown({ failure: 'Le barème est archivé.' })).toContain('Le barème est archivé.');
});

test('[SC-05] who would gain most stand first, and those who are not named are counted with their sum', () => {
  const page = shown({
    said: {
      ...nothing,
      terms: '',
      totals: { contracts: 7, before: 1000n, after: 8000n },
      payees: { gain: 7, lose: 0, same: 0 },
      gained: 7000n,
      most: [{ side: 'client', name: 'Alice Martin', contracts: 1, given: 0n, wouldGive: 6000n }],
      nothing: [{ side: 'client', reason: 'cap_period', contracts: 2, given: 500n }],
    },
  });
  expect(page).toContain('Alice Martin');
  expect(page).toContain('et 6 autres');
  expect(page).toContain('Personne.');
  expect(page).toContain('Client : 2 contrats, plafond de la période déjà atteint (5,00 € en réalité).');
});
