import { index, layout, route, type RouteConfig } from '@react-router/dev/routes';

/** Every address of the web application. The catch-all is R-04. */
export default [
  index('landing/landing.tsx'),
  route('pages/:slug', 'pages/public-page.tsx'),
  layout('account/account-layout.tsx', [
    route('auth/login', 'account/login.tsx', { id: 'auth-login' }),
    route('login', 'account/login.tsx', { id: 'login' }),
    route('auth/register', 'account/register.tsx'),
    route('auth/forgot-password', 'account/forgot-password.tsx'),
    route('auth/new-password', 'account/new-password.tsx'),
    route('auth/login-link', 'account/login-link.tsx'),
    route('auth/two-factor', 'account/two-factor.tsx'),
    route('auth/callback', 'account/callback.tsx'),
    route('confirmer-iban', 'account/confirm-iban.tsx'),
    route('se-desabonner', 'account/refuse-mails.tsx'),
    route('ne-plus-me-contacter', 'account/opt-out.tsx'),
  ]),
  layout('dashboards/shell/dashboard-layout.tsx', [
    route('admin/dashboard', 'dashboards/admin/dashboard.tsx'),
    route('commercial/dashboard', 'dashboards/commercial/dashboard.tsx'),
    route('client/dashboard', 'dashboards/client/dashboard.tsx'),
    route('comptable/dashboard', 'dashboards/comptable/dashboard.tsx'),
  ]),
  route('*', 'not-found.tsx'),
] satisfies RouteConfig;
