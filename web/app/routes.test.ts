import type { RouteConfigEntry } from '@react-router/dev/routes';
import { expect, test } from 'vitest';
import routes from './routes.ts';

function addresses(entries: readonly RouteConfigEntry[], base = ''): string[] {
  return entries.flatMap((entry) => {
    const address = entry.path === undefined ? base : `${base}/${entry.path}`;
    return entry.children ? addresses(entry.children, address) : [address === '' ? '/' : address];
  });
}

test('[R-01] every address of the specification has its page, and a catch-all takes the rest', () => {
  expect(addresses(routes)).toEqual(
    expect.arrayContaining([
      '/',
      '/auth/login',
      '/auth/register',
      '/auth/forgot-password',
      '/login',
      '/admin/dashboard',
      '/commercial/dashboard',
      '/client/dashboard',
      '/*',
    ]),
  );
});

test('[R-02] /login and /auth/login are the same page', () => {
  const files = (entries: readonly RouteConfigEntry[]): [string | undefined, string][] =>
    entries.flatMap((entry) => [
      [entry.path, entry.file] as [string | undefined, string],
      ...files(entry.children ?? []),
    ]);
  const byPath = new Map(files(routes));
  expect(byPath.get('login')).toBe(byPath.get('auth/login'));
});
