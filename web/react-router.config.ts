import type { Config } from '@react-router/dev/config';
import { publicPageSlugs } from './app/pages/public-pages.ts';

/** The pages that visitors arrive at, signed in or not: their first picture is written too, and React takes it over. */
const arrivalPages = ['/login', '/auth/login', '/auth/register', '/auth/forgot-password'];

/** No server rendering at run time: `/`, the short public pages and the arrival pages are written at build time, the rest is one fallback page. */
export default {
  appDirectory: 'app',
  ssr: false,
  prerender: ['/', ...arrivalPages, ...publicPageSlugs.map((slug) => `/pages/${slug}`)],
} satisfies Config;
