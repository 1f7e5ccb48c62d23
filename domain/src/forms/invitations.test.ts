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

test('[V-08] inviter un commercial : nom et e-mail requis, téléphone facultatif', () => {
  expect(accepted(commercialInvitationForm, ana)).toEqual({ name: 'Ana', email: 'ana@exemple.fr', phone: null });
  expect(refusals(commercialInvitationForm, {})).toEqual(missing);
  expect(accepted(commercialInvitationForm, { ...ana, role: 'admin' })).not.toHaveProperty('role');
});

test('[V-11] ajouter un client : nom et e-mail requis, le reste null où il est vide', () => {
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
  expect(refusals(clientInvitationForm, { ...ana, email: 'ana' })).toEqual(["email: L'adresse email n'est pas valide"]);
});

test('[AD-06] l’admin nomme le commercial auquel rattacher le client', () => {
  expect(accepted(clientInvitationForm, { ...ana, commercial_id: uuid }).commercialId).toBe(uuid);
  expect(refusals(clientInvitationForm, { ...ana, commercial_id: 'x' })).toHaveLength(1);
});

test('[V-13] supprimer un client : lequel', () => {
  expect(accepted(clientDeletionPayload, { client_id: uuid })).toEqual({ clientId: uuid });
  expect(refusals(clientDeletionPayload, {})).toEqual(['client_id: Aucun client sélectionné']);
});

test('[V-12] inviter un ami : nom et e-mail requis, message de 500 caractères au plus', () => {
  expect(personalMessageLengthMax).toBe(500);
  expect(refusals(friendInvitationForm, {})).toEqual(missing);
  const longest = 'é'.repeat(500);
  expect(accepted(friendInvitationForm, { ...ana, personalMessage: longest }).personalMessage).toBe(longest);
  expect(refusals(friendInvitationForm, { ...ana, personalMessage: `${longest}.` })).toEqual([
    'personalMessage: 500 caractères au maximum',
  ]);
  expect(accepted(friendInvitationForm, ana)).toMatchObject({ phone: null, personalMessage: null });
});

test('[L-04] demander un rendez-vous : nom et e-mail', () => {
  expect(accepted(appointmentRequestForm, { ...ana, preferred_slot: 'Mardi matin', message: '' })).toEqual({
    name: 'Ana',
    email: 'ana@exemple.fr',
    phone: null,
    preferredSlot: 'Mardi matin',
    message: null,
  });
  expect(refusals(appointmentRequestForm, {})).toEqual(['name: Le nom est requis', "email: L'email est requis"]);
});
