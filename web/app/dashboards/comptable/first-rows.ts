import { accountingQuery } from '#api/payments/accounting';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import type { FirstRows } from '../shell/use-ahead.ts';

export const firstRows: FirstRows = {
  comptabilite: () => [firstAccountLineQuery(null), accountingQuery],
};
