import { expect, test } from 'vitest';
import { dashboardPathFor, isRole, loginPathAfterLogout, roleLabels } from './role.ts';

test.each([
  ['admin', '/admin/dashboard'],
  ['commercial', '/commercial/dashboard'],
  ['client', '/client/dashboard'],
  ['autre', '/client/dashboard'],
  ['', '/client/dashboard'],
])('[A-03] after sign-in, %s goes to %s', (role, path) => {
  expect(dashboardPathFor(role)).toBe(path);
});

test('[R-02, R-03] after logout, the client goes to /auth/login, the others to /login', () => {
  expect(loginPathAfterLogout('client')).toBe('/auth/login');
  expect(loginPathAfterLogout('commercial')).toBe('/login');
  expect(loginPathAfterLogout('admin')).toBe('/login');
});

test('[H-02] the roles on screen', () => {
  expect(roleLabels.commercial).toBe('Commercial');
  expect(roleLabels.client).toBe('Client');
  expect(isRole('admin')).toBe(true);
  expect(isRole('toString')).toBe(false);
});
