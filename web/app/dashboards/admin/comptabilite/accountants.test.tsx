import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { renderToStaticMarkup } from 'react-dom/server';
import { I18nextProvider } from 'react-i18next';
import { expect, test } from 'vitest';
import { accountantsQuery, dossierSentQuery, type Accountant } from '#api/people/accountants';
import { secondFactorsQuery } from '#api/people/second-factors';
import { ToastProvider } from '#ui/toast';
import { i18n } from '../../../i18n.ts';
import { Accountants } from './accountants.tsx';
import { SendDossier } from './send-dossier.tsx';

const marie: Accountant = {
  id: 'm',
  fullName: 'Marie Compta',
  email: 'marie@cabinet.fr',
  hasAccess: true,
  hasSignedIn: true,
};

/** The two cards with what the server said, and the names of their buttons. */
function read(accountants: readonly Accountant[], sentAt: string | null = null, withFactor: readonly string[] = []) {
  const client = new QueryClient();
  client.setQueryData(accountantsQuery.queryKey, [...accountants]);
  client.setQueryData(secondFactorsQuery(accountants.map(({ id }) => id)).queryKey, new Set(withFactor));
  client.setQueryData(dossierSentQuery('2025').queryKey, sentAt);
  const html = renderToStaticMarkup(
    <I18nextProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <ToastProvider>
          <SendDossier period="2025" />
          <Accountants />
        </ToastProvider>
      </QueryClientProvider>
    </I18nextProvider>,
  );
  return {
    buttons: [...html.matchAll(/<button(?<head>[^>]*)>(?<content>.*?)<\/button>/gu)].map(
      ({ groups }) =>
        /aria-label="(?<label>[^"]*)"/u.exec(groups?.['head'] ?? '')?.groups?.['label'] ??
        groups?.['content']?.replaceAll(/<[^>]*>/gu, ''),
    ),
    text: html.replaceAll(/<[^>]*>/gu, ' ').replaceAll(/\s+/gu, ' '),
  };
}

test('[UI-12] the admin sees who has access, since when nobody came, and who has none any more, each with its one act', () => {
  const { text, buttons } = read([
    marie,
    { ...marie, id: 'n', fullName: 'Nina Neuve', hasSignedIn: false },
    { ...marie, id: 'p', fullName: 'Paul Parti', hasAccess: false },
  ]);
  expect(text).toContain('Accès ouvert');
  expect(text).toContain('Invité, pas encore venu');
  expect(text).toContain('Accès retiré');
  expect(buttons).toEqual(
    expect.arrayContaining([
      'Envoyer à mon comptable',
      'Inviter mon comptable',
      'Retirer l’accès de Marie Compta',
      'Retirer l’accès de Nina Neuve',
      'Rendre l’accès à Paul Parti',
    ]),
  );
});

test('[AU-17][UI-12] to take a second factor away is offered for the accountants who have one, and for no other', () => {
  const { buttons } = read([marie, { ...marie, id: 'n', fullName: 'Nina Neuve' }], null, ['n']);
  expect(buttons.filter((name) => name?.startsWith('Retirer la double authentification'))).toEqual([
    'Retirer la double authentification de Nina Neuve',
  ]);
});

test('[UI-12] « Envoyer à mon comptable » says when the period was sent, and nothing where it never was', () => {
  expect(read([marie]).text).not.toContain('Envoyé le');
  expect(read([marie], '2026-11-29T09:41:00Z').text).toContain('Envoyé le 29 nov. 2026 à 10:41');
});
