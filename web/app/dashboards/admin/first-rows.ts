import { apiKeysQuery } from '#api/company/api-keys';
import { auditQuery } from '#api/company/audit-entries';
import { doubtfulCasesQuery } from '#api/company/doubtful-cases';
import { sentMailsQuery } from '#api/company/sent-mails';
import { systemStateQuery } from '#api/company/system-state';
import { webhooksQuery } from '#api/company/webhooks';
import { allPaymentRequestsQuery } from '#api/payments/all-payment-requests';
import { batchesQuery, transfersQuery } from '#api/payments/batches';
import { paymentsMadeQuery } from '#api/payments/payments-made';
import { allClientsQuery, sleepingCountQuery } from '#api/people/client-summaries';
import { commercialSummariesQuery } from '#api/people/commercial-summaries';
import { allSalesQuery } from '#api/sales/all-sales';
import { salesToValidateQuery } from '#api/sales/sales-to-validate';
import { commissionRatesQuery } from '#api/scales/commission-rates';
import { firstPage as page } from '#api/transport/read-page';
import type { FirstRows } from '../shell/use-ahead.ts';

const search = '';
const newestFirst = { sort: 'created_at', desc: true } as const;

export const firstRows: FirstRows = {
  commerciaux: () => [commercialSummariesQuery({ search, isLate: false, sort: { id: 'createdAt', desc: true }, page })],
  clients: () => [
    allClientsQuery({ search, activity: 'all', sort: { id: 'createdAt', desc: true }, page }),
    sleepingCountQuery(undefined),
  ],
  ventes: () => [
    allSalesQuery({
      search,
      filter: 'all',
      commercialId: null,
      days: null,
      withoutNewsDays: null,
      ...newestFirst,
      page,
    }),
  ],
  commissions: () => [commissionRatesQuery({ archived: false, page })],
  validations: () => [
    salesToValidateQuery({ search, commercialId: null, days: null, sort: 'created_at', desc: false, page }),
  ],
  'demandes-de-paiement': () => [
    allPaymentRequestsQuery({ status: 'all', search, method: null, days: null, ...newestFirst, page }),
  ],
  virements: () => [batchesQuery({ status: 'all', days: null, ...newestFirst, page }), transfersQuery],
  'historique-des-paiements': () => [
    paymentsMadeQuery({ search, paidBy: null, days: null, sort: 'at', desc: true, page }),
  ],
  'cas-douteux': () => [doubtfulCasesQuery({ status: 'all', page })],
  journal: () => [auditQuery({ entity: 'all', page })],
  'messages-envoyes': () => [sentMailsQuery({ search, filter: 'all', group: 'all', days: null, page })],
  'etat-du-systeme': () => [systemStateQuery],
  integrations: () => [apiKeysQuery, webhooksQuery],
};
