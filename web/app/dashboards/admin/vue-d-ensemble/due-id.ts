/** Target of the link in « Commissions en attente »: the part itself comes later. */
export const dueId = 'du';
