import { expect, test } from 'vitest';
import { appointmentRequestForm } from './appointment-request.ts';
import { clientDeletionPayload, clientInvitationForm } from './client-invitation.ts';
import { commercialInvitationForm } from './commercial-invitation.ts';
import { friendInvitationForm } from './friend-invitation.ts';
import { personalMessageLengthMax } from './limits.ts';
import { accepted, refusals } from './testing.ts';

const ana = { name: 'Ana', email: 'Ana@exemple.fr' };
const uuid = '3f2b8c1e-1111-4222-8333-444455556666';
const missing = ["name: Le nom et l'email sont requis", "email: Le nom et l'email sont requis"];

test('[V-08] inviting a commercial: name and e-mail required, phone optional', () => {
  expect(accepted(commercialInvitationForm, ana)).toEqual({ name: 'Ana', email: 'ana@exemple.fr', phone: null });
  expect(refusals(commercialInvitationForm, {})).toEqual(missing);
  expect(accepted(commercialInvitationForm, { ...ana, role: 'admin' })).not.toHaveProperty('role');
});

test('[V-11] adding a client: name and e-mail required, the rest null where empty', () => {
  expect(accepted(clientInvitationForm, { ...ana, phone: '', company: ' ', notes: '' })).toEqual({
    name: 'Ana',
    email: 'ana@exemple.fr',
    phone: null,
    company: null,
    notes: null,
    commercialId: null,
  });
  expect(refusals(clientInvitationForm, { name: '', email: '' })).toEqual(missing);
  expect(refusals(clientInvitationForm, { ...ana, email: '' })).toEqual(["email: Le nom et l'email sont requis"]);
  expect(refusals(clientInvitationForm, { ...ana, email: 'ana' })).toEqual([
    'email: L’adresse e-mail n’est pas valide. Exemple : prenom.nom@exemple.fr',
  ]);
});

test('[AD-06] the admin names the commercial to attach the client to', () => {
  expect(accepted(clientInvitationForm, { ...ana, commercial_id: uuid }).commercialId).toBe(uuid);
  expect(refusals(clientInvitationForm, { ...ana, commercial_id: 'x' })).toHaveLength(1);
});

test('[V-13] deleting a client: which one', () => {
  expect(accepted(clientDeletionPayload, { client_id: uuid })).toEqual({ clientId: uuid });
  expect(refusals(clientDeletionPayload, {})).toEqual(['client_id: Aucun client sélectionné']);
});

test('[V-12] inviting a friend: name and e-mail required, a message of at most 500 characters', () => {
  expect(personalMessageLengthMax).toBe(500);
  expect(refusals(friendInvitationForm, {})).toEqual(missing);
  const longest = 'é'.repeat(500);
  expect(accepted(friendInvitationForm, { ...ana, personalMessage: longest }).personalMessage).toBe(longest);
  expect(refusals(friendInvitationForm, { ...ana, personalMessage: `${longest}.` })).toEqual([
    'personalMessage: 500 caractères au maximum',
  ]);
  expect(accepted(friendInvitationForm, ana)).toMatchObject({ phone: null, personalMessage: null });
});

test('[L-04] asking for an appointment: name and e-mail', () => {
  expect(accepted(appointmentRequestForm, { ...ana, preferred_slot: 'Mardi matin', message: '' })).toEqual({
    name: 'Ana',
    email: 'ana@exemple.fr',
    phone: null,
    preferredSlot: 'Mardi matin',
    message: null,
  });
  expect(refusals(appointmentRequestForm, {})).toEqual(['name: Le nom est requis', 'email: L’e-mail est requis']);
});
