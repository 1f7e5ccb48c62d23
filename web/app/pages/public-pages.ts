export const publicPageSlugs = ['a-propos', 'contact', 'blog', 'carrieres', 'mentions-legales', 'confidentialite', 'cgu', 'cookies'] as const;
