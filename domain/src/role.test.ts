import { expect, test } from 'vitest';
import { noticeTopicsFor } from './notice.ts';
import { payeeStatusesOf } from './payee.ts';
import { paymentRequestMoves } from './payment-request.ts';
import { dashboardPathFor, isRole, loginPathAfterLogout, roleLabels, roles } from './role.ts';

test.each([
  ['admin', '/admin/dashboard'],
  ['commercial', '/commercial/dashboard'],
  ['client', '/client/dashboard'],
  ['comptable', '/comptable/dashboard'],
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

test('[UI-12] the accountant is a role of its own: it moves no request, is paid by no status, and is told of nothing', () => {
  expect(roles).toEqual(['admin', 'commercial', 'client', 'comptable']);
  expect(roleLabels.comptable).toBe('Comptable');
  expect(loginPathAfterLogout('comptable')).toBe('/login');
  expect(Object.values(paymentRequestMoves.comptable).flat()).toEqual([]);
  expect(payeeStatusesOf('comptable')).toEqual([]);
  expect(noticeTopicsFor.comptable).toEqual([]);
});
