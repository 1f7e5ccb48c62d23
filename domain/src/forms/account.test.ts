import { describe, expect, test } from 'vitest';
import { forgotPasswordForm } from './forgot-password.ts';
import { newPasswordForm } from './new-password.ts';
import { profileForm } from './profile.ts';
import { registrationForm, registrationPayload } from './registration.ts';
import { signInForm } from './sign-in.ts';
import { accepted, refusals } from './testing.ts';

const ana = {
  full_name: ' Ana Díaz ',
  email: ' Ana@Exemple.FR ',
  phone: '',
  password: 'dix caractères',
  password_confirmation: 'dix caractères',
};

describe('registration', () => {
  test('[V-01] name, e-mail and password; the phone is optional', () => {
    const expected = { fullName: 'Ana Díaz', email: 'ana@exemple.fr', phone: null, password: 'dix caractères' };
    expect(accepted(registrationForm, ana)).toEqual(expected);
    expect(accepted(registrationPayload, ana)).toEqual(expected);
    expect(accepted(registrationForm, { ...ana, phone: '+33 6 12 34 56 78' }).phone).toBe('+33 6 12 34 56 78');
  });

  test('[V-01] everything missing is said at once', () => {
    const expected = [
      'full_name: Le nom est requis',
      'email: L’e-mail est requis',
      'password: Le mot de passe est requis',
    ];
    expect(refusals(registrationForm, {})).toEqual(expected);
    expect(refusals(registrationPayload, { full_name: ' ', email: null, password: '' })).toEqual(expected);
    for (const shape of [null, [], 'x', 12, undefined]) {
      expect(refusals(registrationForm, shape)).toEqual([': Certaines informations sont manquantes ou incorrectes.']);
    }
  });

  test('[V-01] the confirmation must be the same', () => {
    for (const password_confirmation of ['autre', '', undefined]) {
      expect(refusals(registrationForm, { ...ana, password_confirmation })).toEqual([
        'password_confirmation: Les mots de passe ne correspondent pas',
      ]);
    }
    expect(refusals(registrationForm, { ...ana, email: '', password_confirmation: 'autre' })).toEqual([
      'email: L’e-mail est requis',
      'password_confirmation: Les mots de passe ne correspondent pas',
    ]);
  });

  test('[A-06] the role in the request is ignored', () => {
    expect(accepted(registrationPayload, { ...ana, role: 'admin', is_admin: true })).not.toHaveProperty('role');
  });

  test('[V-01] prototype pollution has no effect', () => {
    const hostile: unknown = JSON.parse(
      `{"__proto__":{"role":"admin"},"constructor":{"prototype":{}},"email":"a@b.fr"}`,
    );
    expect(refusals(registrationPayload, hostile)).toHaveLength(2);
    expect(({} as Record<string, unknown>)['role']).toBeUndefined();
  });
});

describe('sign-in and password', () => {
  test('[A-01] e-mail and password, whatever the password', () => {
    expect(accepted(signInForm, { email: 'A@B.fr', password: ' x ' })).toEqual({ email: 'a@b.fr', password: ' x ' });
    expect(refusals(signInForm, {})).toEqual(['email: L’e-mail est requis', 'password: Le mot de passe est requis']);
    expect(refusals(forgotPasswordForm, { email: 'non' })).toEqual([
      'email: L’adresse e-mail n’est pas valide. Exemple : prenom.nom@exemple.fr',
    ]);
  });

  test.each([
    ['123456789', 'Le mot de passe doit contenir au moins 10 caractères'],
    ['😀'.repeat(9), 'Le mot de passe doit contenir au moins 10 caractères'],
    ['a'.repeat(73), 'Le mot de passe est trop long'],
    ['é'.repeat(37), 'Le mot de passe est trop long'],
    ['a'.repeat(1_000_000), 'Le mot de passe est trop long'],
    ['dix\u0000caractères', 'Ce texte contient des caractères non autorisés'],
    ['dix caractère\ud800', 'Ce texte contient des caractères non autorisés'],
  ])('[R-07] a chosen password is refused where it is too short, too long or unreadable', (password, message) => {
    expect(refusals(newPasswordForm, { password, password_confirmation: password })).toEqual([`password: ${message}`]);
  });

  test('[R-07] a chosen password is kept exactly, spaces included', () => {
    for (const password of ['  dix caractères ', 'a'.repeat(72), '😀'.repeat(10)]) {
      expect(accepted(newPasswordForm, { password, password_confirmation: password })).toEqual({ password });
    }
    expect(refusals(newPasswordForm, { password: 'dix caractères', password_confirmation: 'x' })).toEqual([
      'password_confirmation: Les mots de passe ne correspondent pas',
    ]);
  });

  test('[CO-11] the profile: name and phone', () => {
    expect(accepted(profileForm, { full_name: 'Ana', phone: ' ' })).toEqual({ full_name: 'Ana', phone: null });
    expect(refusals(profileForm, { full_name: '', phone: 'abc' })).toEqual([
      'full_name: Le nom est requis',
      'phone: Le numéro de téléphone n’est pas valide. Exemple : 06 12 34 56 78',
    ]);
  });
});
