/** What a list or a figure does by itself: it is read again on focus, and every 15 seconds while the page is visible. */
export const live = { refetchInterval: 15_000, refetchOnWindowFocus: 'always' } as const;
