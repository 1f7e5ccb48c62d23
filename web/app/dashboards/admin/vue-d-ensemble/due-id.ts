/** Where « Commissions en attente » leads to: the part itself comes later. */
export const dueId = 'du';
