import { expect, test } from 'vitest';
import { parseForm } from './forms/parse-form.ts';
import { appointmentRequestForm } from './forms/appointment-request.ts';
import { clientInvitationForm } from './forms/client-invitation.ts';
import { commercialInvitationForm } from './forms/commercial-invitation.ts';
import { companyNameForm } from './forms/company-name.ts';
import { friendDataForm } from './forms/friend-data.ts';
import { formerFriendRequestForm, friendRequestForm } from './forms/friend-request.ts';
import { friendInvitationForm } from './forms/friend-invitation.ts';
import { profileForm } from './forms/profile.ts';
import { registrationForm } from './forms/registration.ts';
import { hasPhoneNumber, hasSentence, hasSite } from './name.ts';
import { nameExamples } from './name-examples.ts';

test.each(nameExamples.people)('[FX-04] « %s » is the name of a person', (name) => {
  expect(hasSite(name)).toBe(false);
});

test.each(nameExamples.people)('[DF-28] « %s » holds neither a number to call nor a sentence', (name) => {
  expect([hasPhoneNumber(name), hasSentence(name)]).toEqual([false, false]);
});

test.each(nameExamples.texts)('[DF-28] « %s » is no name of a person, in any form that takes one', (name) => {
  const message = 'Écrivez un nom seul : ni numéro de téléphone, ni phrase';
  for (const form of [
    friendRequestForm,
    formerFriendRequestForm,
    friendDataForm,
    friendInvitationForm,
    clientInvitationForm,
  ]) {
    const reached = { email: 'a@exemple.fr', contact: 'a@exemple.fr', channel: 'email' };
    expect(parseForm(form, { name, ...reached })).toMatchObject({ issues: [{ path: ['name'], message }] });
  }
  expect(parseForm(profileForm, { full_name: name })).toMatchObject({ issues: [{ path: ['full_name'], message }] });
});

test.each(nameExamples.sites)('[FX-04] « %s » holds the address of a site', (name) => {
  expect(hasSite(name)).toBe(true);
});

const said =
  'Un nom ne peut pas contenir l’adresse d’un site ou d’une boîte aux lettres : retirez-la, et laissez un espace après chaque point';
const forms = { appointmentRequestForm, clientInvitationForm, commercialInvitationForm, friendInvitationForm };

test.each(Object.entries(forms))('[FX-04] %s takes no site for a name', (_form, form) => {
  const parsed = parseForm(form, { name: 'Gagnez 500 € : https://exemple.fr', email: 'a@exemple.fr' });
  expect(parsed).toMatchObject({ issues: [{ path: ['name'], message: said }] });
});

test('[FX-04] neither do the profile, the registration and the company', () => {
  const full = { full_name: 'Voir www.exemple' };
  expect(parseForm(profileForm, full)).toMatchObject({ issues: [{ path: ['full_name'], message: said }] });
  expect(parseForm(registrationForm, full)).toMatchObject({
    issues: expect.arrayContaining([{ path: ['full_name'], message: said }]),
  });
  expect(parseForm(companyNameForm, { company_name: 'https://x' })).toMatchObject({ issues: [{ message: said }] });
  expect(parseForm(companyNameForm, { company_name: 'Réserver.com' })).toMatchObject({
    value: { companyName: 'Réserver.com' },
  });
});

test('[FX-04] the message to a friend holds no link', () => {
  const invite = (personalMessage: string) =>
    parseForm(friendInvitationForm, { name: 'Ami', email: 'a@exemple.fr', personalMessage });
  for (const message of ['Va sur HTTPS://exemple.fr', 'Va sur www.exemple.fr']) {
    expect(invite(message)).toMatchObject({
      issues: [{ message: 'Ce message ne peut pas contenir de lien : décrivez le site sans son adresse' }],
    });
  }
  expect(invite('Bonjour.Je te recommande cette entreprise')).toHaveProperty('value');
});
