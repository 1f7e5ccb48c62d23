import type { Config } from '@react-router/dev/config';
import { publicPageSlugs } from './app/pages/public-pages.ts';

/** No server rendering at run time: `/` and the short public pages are written at build time, the rest is one fallback page. */
export default {
  appDirectory: 'app',
  ssr: false,
  prerender: ['/', ...publicPageSlugs.map((slug) => `/pages/${slug}`)],
} satisfies Config;
