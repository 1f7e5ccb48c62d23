import { requestRulesDefault } from '@parrain/domain/request-rules';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { MemoryRouter } from 'react-router';
import { expect, test } from 'vitest';
import { companySettings, type CompanySettings } from '#api/company/company-settings';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../../i18n.ts';
import { companySettingSubjects } from '../../shell/spots.ts';
import { settingBlocks } from './setting-blocks.tsx';
import Reglages from './reglages.tsx';

const settings: CompanySettings = {
  companyName: 'Lumeo Habitat',
  logoUrl: null,
  brandColor: null,
  requireCallConsent: true,
  firstReferralMonths: 12,
  contactMonths: 36,
  rulesToAccept: null,
  requireAdminTwoFactor: false,
  answerDays: null,
  followUpDays: 7,
  followUpAdminDays: null,
  newClients: 'by_hand',
  newClientsTo: null,
  requestRules: requestRulesDefault,
  releaseAbove: 500_000n,
};

function draw(part: ReactNode): string {
  const client = new QueryClient();
  client.setQueryData(companySettings.queryKey, settings);
  return renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <ToastProvider>
          <MemoryRouter>{part}</MemoryRouter>
        </ToastProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  );
}

const page = (detail: Readonly<Record<string, string>> = {}) =>
  draw(
    <Reglages
      detail={detail}
      openSection={() => undefined}
      hrefOf={(id, more = {}) => `?${new URLSearchParams({ section: id, ...more })}`}
      stepBack={() => false}
    />,
  );

test('[UI-05] the page of settings has every setting once, by subject, each with its way in the list beside it', () => {
  const html = page();
  const heads = [...html.matchAll(/<h(?<level>[34])[^>]*>(?<words>[^<]*)/gu)].map(({ groups }) => groups?.['words']);
  expect(heads).toEqual(
    companySettingSubjects.flatMap(({ subject, settings: of }) => [subject, ...of.map(({ label }) => label)]),
  );
  for (const { id } of companySettingSubjects.flatMap(({ settings: of }) => [...of]))
    expect(html).toContain(`href="?section=reglages&amp;bloc=${id}"`);
  expect(Object.keys(settingBlocks)).toHaveLength(heads.length - companySettingSubjects.length);
});

test('[UI-05] each setting that is typed has a form and a button of its own, with what is in force', () => {
  const forms = page().split('<form').slice(1);
  const named = forms.map((form) => /aria-label="(?<name>[^"]*)"/u.exec(form)?.groups?.['name']);
  expect(named).toEqual([
    'Nouveaux clients',
    'Relances',
    'Premier parrain',
    'Contacts sans contrat',
    'Demandes acceptées',
    'Double validation',
  ]);
  for (const form of forms) expect(form.split('type="submit"')).toHaveLength(2);
});

test('[AC-05] « Double validation » says that it governs waivers and adjustments too', () => {
  const form = page().split('aria-label="Double validation"')[1] ?? '';
  expect(form.slice(0, form.indexOf('</form>'))).toMatch(/virement groupé, l’abandon d’une dette et un ajustement/u);
});

test('[UI-05] the address of a setting marks it, and no other', () => {
  const html = page({ bloc: 'relances' });
  expect(html.split('data-sought')).toHaveLength(2);
  expect(html.slice(html.indexOf('data-sought'))).toMatch(/^[^<]*<section[^>]*><form[^>]*aria-label="Relances"/u);
});
