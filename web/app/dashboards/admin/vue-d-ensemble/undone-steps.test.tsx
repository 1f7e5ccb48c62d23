import type { FirstSteps } from '@parrain/domain/first-steps';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { i18n } from '../../../i18n.ts';
import UndoneSteps from './undone-steps.tsx';

function read(steps: Partial<FirstSteps>): { text: string; places: string[] } {
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <MemoryRouter>
        <UndoneSteps
          steps={{ done: [], skipped: [], isEmpty: true, hasTestData: false, isMailConfigured: true, ...steps }}
        />
      </MemoryRouter>
    </I18nextProvider>,
  );
  return {
    text: html.replaceAll(/<[^>]*>/gu, '').replaceAll('\u00A0', ' '),
    places: [...html.matchAll(/href="[^"]*\?(?<place>[^"]*)"/gu)].map(({ groups }) => groups?.['place'] ?? ''),
  };
}

test('[UI-07] the first steps that were put off stay in « À faire », each with its way, and are gone once done', () => {
  const { text, places } = read({ done: ['commercial', 'mail'], skipped: ['company', 'scale', 'legal'] });
  expect(text).toBe('À compléter : Nom et logo de l’entreprise · Barème de commission · Mentions légales');
  expect(places).toEqual([
    'section=reglages&amp;parametres=nom',
    'section=commissions',
    'section=reglages&amp;bloc=mentions',
  ]);
  expect(read({ done: ['company', 'scale', 'commercial', 'mail', 'legal'], skipped: ['legal'] }).text).toBe('');
});

test('[UI-07] a trial of the mails is asked for where there is a mail server, and of a new company', () => {
  const done = ['company', 'scale', 'commercial', 'legal'] as const;
  expect(read({ done }).text).toBe('À compléter : Essai des e-mails');
  expect(read({ done, isMailConfigured: false }).text).toBe('');
  expect(read({ done, isEmpty: false }).text).toBe('');
});
