import { dayOf } from '@parrain/domain/date';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ownHoldsQuery } from '#api/payments/own-holds';
import { paymentsAheadQuery } from '#api/payments/payments-ahead';
import { useProfile } from '#api/transport/session';
import { holdText, leavingLines, stateText } from './money-days.ts';

/** The day on which the transfer of one request leaves (UI-02); nothing before that is known. */
export function LeavingDay({ requestId }: { requestId: string }) {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  const { data } = useQuery(paymentsAheadQuery(useProfile().id));
  const payment = data?.find((one) => one.requestId === requestId && one.leavesOn !== null);
  return payment && <p className="text-xs text-encre-soft">{stateText(payment, today, t)}</p>;
}

/** Note on what the client's money on its way waits for (UI-02). */
export function LeavingNote() {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  const { data } = useQuery(paymentsAheadQuery(useProfile().id));
  return (data ? leavingLines(data, today, t) : []).map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ));
}

/** Note on what the client's money to come waits for. */
export function KeptNote() {
  const { t } = useTranslation();
  const { data } = useQuery(ownHoldsQuery(useProfile().id));
  return data && holdText(data, t);
}
