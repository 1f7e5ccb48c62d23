import { monthsOf } from '@parrain/domain/period';
import { clientSummariesQuery, referringClientsQuery, sleepingCountQuery } from '#api/people/client-summaries';
import { commissionHistoryQuery, contractsAwaitingCompanyQuery } from '#api/sales/commercial-contracts';
import { openByAgeQuery, ownMonthsQuery } from '#api/sales/own-activity';
import { firstReferrals, receivedReferralsQuery } from '#api/sales/received-referrals';
import { referralCountsQuery } from '#api/sales/referral-counts';
import { commercialFiguresQuery } from '#api/sales/commercial-figures';
import { firstPage as page } from '#api/transport/read-page';
import type { FirstRows } from '../shell/use-ahead.ts';

const search = '';

export const firstRows: FirstRows = {
  'parrainages-recus': (commercialId) => [
    receivedReferralsQuery(firstReferrals(commercialId)),
    referralCountsQuery(commercialId),
  ],
  'mes-clients': (commercialId) => [
    clientSummariesQuery({ commercialId, activity: 'all', search, sort: { id: 'createdAt', desc: true }, page }),
    referringClientsQuery({ commercialId, search, page }),
    sleepingCountQuery(commercialId),
    commercialFiguresQuery(commercialId),
  ],
  'contrats-d-affiliation': (commercialId) => [
    commissionHistoryQuery({ commercialId, state: null, days: null, sort: 'validated_at', desc: true, page }),
    contractsAwaitingCompanyQuery(commercialId, page),
    commercialFiguresQuery(commercialId),
    ownMonthsQuery(commercialId, monthsOf('mois', new Date()).fromMonth),
    openByAgeQuery(commercialId),
  ],
};
