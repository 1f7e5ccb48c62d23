import { clientFiguresQuery } from '#api/payments/client-figures';
import { ownCommissionsQuery } from '#api/payments/own-commissions';
import { ownPaymentRequestsQuery } from '#api/payments/own-payment-requests';
import { validatedContractsQuery } from '#api/sales/validated-contracts';
import { firstPage as page } from '#api/transport/read-page';
import type { FirstRows } from '../shell/use-ahead.ts';

const search = '';
const newestFirst = { search, desc: true, days: null, page } as const;

export const firstRows: FirstRows = {
  'contrats-valides': (clientId) => [validatedContractsQuery({ clientId, sort: 'validated_at', ...newestFirst })],
  'mes-commissions': (recipientId) => [
    ownCommissionsQuery({ recipientId, sort: 'paid_at', ...newestFirst }),
    clientFiguresQuery(recipientId),
  ],
  'demandes-de-paiement': (clientId) => [
    ownPaymentRequestsQuery({ clientId, search, page }),
    clientFiguresQuery(clientId),
  ],
};
