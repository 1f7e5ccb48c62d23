import type { CommissionType } from '@parrain/domain/commission';
import { stepsMax, type RuledSide } from '@parrain/domain/scale-rules';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { Scale } from '#api/scales/commission-rates';
import { i18n } from '../../../i18n.ts';
import { noRules, type RulesDraft } from './rules-draft.ts';
import RulesFields from './rules-fields.tsx';
import { ScaleBadges, ScaleSides } from './scale-card.tsx';
import ScaleCurve from './scale-curve.tsx';

const plain = (html: string) => html.replaceAll(/[\u00a0\u202f]/gu, ' ');
const read = (part: ReactNode) => plain(renderToStaticMarkup(<I18nextProvider i18n={i18n}>{part}</I18nextProvider>));
const shown = (draft: RulesDraft, type: CommissionType = 'percentage', wasSent = false): string =>
  read(
    <RulesFields
      legend="Commission du client parrain"
      type={type}
      value={draft}
      onChange={() => undefined}
      wasSent={wasSent}
      isAsked={false}
    />,
  );
const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ from: `${index + 1}000`, value: '4' }));

test('[SC-02] a wrong form is impossible to write: a twenty-fifth step has no button, and a single one cannot be taken away', () => {
  expect(shown({ ...noRules, steps: 'slice', above: steps(stepsMax - 2) })).toContain('Ajouter un palier');
  const full = shown({ ...noRules, steps: 'slice', above: steps(stepsMax - 1) });
  expect(full).not.toContain('Ajouter un palier');
  expect(full).toContain('Retirer le palier 24');
  expect(shown({ ...noRules, steps: 'slice', above: steps(1) })).not.toContain('Retirer le palier');
});

test('[SC-02] a fault of the form of steps is told at once; a field that nobody has left yet is told when the form is sent', () => {
  const draft: RulesDraft = { ...noRules, steps: 'slice', above: [{ from: '', value: '4' }] };
  expect(shown(draft)).not.toContain('Un montant en euros.');
  expect(shown(draft, 'percentage', true)).toContain('Un montant en euros.');
  expect(shown({ ...draft, above: steps(1) }, 'fixed')).toContain('choisissez « au palier atteint »');
});

test('[SC-02] a period is asked only where something is counted over it', () => {
  expect(shown(noRules)).not.toContain('Période');
  expect(shown({ ...noRules, capPeriod: '2 000' })).toContain('Période');
  expect(shown({ ...noRules, steps: 'slice', above: steps(1) })).toContain('Contrats comptés');
});

const ruled: RuledSide = {
  type: 'percentage',
  basisPoints: 300n,
  extra: {
    steps: { measure: 'revenue', mode: 'slice', countsOver: 'scale', above: [{ from: 1_000_000n, value: 400n }] },
    capPeriod: 200_000n,
  },
};

test('[SC-02] the curve of a side is named by what its edges, its example and its cap give', () => {
  const html = read(
    <>
      <ScaleCurve side={ruled} contract={1_200_000n} label="Le client reçoit" />
    </>,
  );
  expect(html).toContain(
    'aria-label="Le client reçoit, selon le contrat : 10 000 €, 300,00 € ; 12 000 €, 380,00 € ; 60 000 €, 2 000,00 €"',
  );
});

test('[SC-02] a curve of steps that count contracts goes by rank', () => {
  const counted: RuledSide = {
    type: 'fixed',
    amount: 5_000n,
    extra: { steps: { measure: 'count', mode: 'slice', countsOver: 'scale', above: [{ from: 3n, value: 8_000n }] } },
  };
  const html = read(
    <>
      <ScaleCurve side={counted} contract={1_000_000n} label="Le client reçoit" />
    </>,
  );
  expect(html).toContain('selon le rang du contrat : 1er contrat, 50,00 € ; 4e contrat, 80,00 €');
});

test('[SC-02] a scale shows the span of its steps with their sentence, and says that its last day is over', () => {
  const scale: Scale = {
    id: 'r',
    name: 'Barème',
    description: null,
    scale: { client: ruled, commercial: { type: 'fixed', amount: 5_000n } },
    short: { client: '', commercial: '' },
    clientHoldDays: 0,
    fromContractAmount: null,
    lastDay: '2020-12-31',
    isDefault: true,
    archivedAt: null,
    createdAt: '2020-01-01T00:00:00Z',
  };
  const html = read(
    <>
      <ScaleSides scale={scale} />
      <ScaleBadges scale={scale} />
    </>,
  );
  expect(html).toContain('3 % à 4 %, plafonné');
  expect(html).toContain('puis 4 % au-delà');
  expect(html).toContain('Montant fixe');
  expect(html).toContain('Terminé le 31');
});
