import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import type { Batch } from '#api/payments/batches';
import { i18n } from '../../../i18n.ts';
import { BatchSteps } from './batch-steps.tsx';

const draft: Batch = {
  id: 'b',
  number: 7,
  status: 'draft',
  version: 1,
  total: 10_000n,
  lineCount: 2,
  paidCount: 0,
  rejectedCount: 0,
  returnedCount: 0,
  madeBy: 'a',
  madeByName: 'Claire Fontaine',
  releasedByName: null,
  createdAt: '2026-11-26T09:00:00Z',
  releasedAt: null,
  sentAt: null,
  settledAt: null,
  executionOn: null,
  format: null,
};

const read = (batch: Batch) => {
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <BatchSteps batch={batch} />
    </I18nextProvider>,
  );
  return html
    .split('<li')
    .slice(1)
    .map((step) => `${step.includes('aria-current="step"') ? '*' : ''}${step.replaceAll(/^[^>]*>|<[^>]*>/gu, '')}`);
};

test('[UI-04] a batch says its steps, who did them and when, and where it stands', () => {
  expect(read(draft)).toEqual([
    expect.stringMatching(/^\*Préparéfait26.nov\. 2026.*, par Claire Fontaine$/u),
    'Fichierà faire',
    'Envoyéà faire',
    'Payéà faire',
  ]);
  expect(read({ ...draft, releasedAt: '2026-11-27T09:00:00Z', releasedByName: 'Paul Roux' })[1]).toMatch(
    /^\*Fichierfait27.nov\. 2026.*, par Paul Roux$/u,
  );
});

test('[UI-04] a batch that is paid without a word on its sending has no step left to do', () => {
  const steps = read({ ...draft, releasedAt: '2026-11-27T09:00:00Z', settledAt: '2026-11-28T09:00:00Z' });
  expect(steps.filter((step) => step.includes('à faire'))).toEqual([]);
  expect(steps[3]).toMatch(/^\*Payéfait28/u);
});
