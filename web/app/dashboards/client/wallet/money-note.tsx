import { dayOf } from '@parrain/domain/date';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ownHoldsQuery } from '#api/payments/own-holds';
import { paymentsAheadQuery } from '#api/payments/payments-ahead';
import { useProfile } from '#api/transport/session';
import { holdText, leavingLines, stateText } from './money-days.ts';

interface MoneyNoteProps {
  of: 'leaving' | 'kept';
  /** One request alone: the day its transfer leaves, and nothing before that is known. */
  requestId?: string | undefined;
}

/** What the client's money that is not in hand waits for (UI-02): on its way, or to come. */
export default function MoneyNote({ of, requestId }: MoneyNoteProps) {
  if (requestId !== undefined) return <LeavingOne requestId={requestId} />;
  return of === 'leaving' ? <Leaving /> : <Kept />;
}

function LeavingOne({ requestId }: { requestId: string }) {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  const { data } = useQuery(paymentsAheadQuery(useProfile().id));
  const payment = data?.find((one) => one.requestId === requestId && one.leavesOn !== null);
  return payment && <p className="text-xs text-encre-soft">{stateText(payment, today, t)}</p>;
}

function Leaving() {
  const { t } = useTranslation();
  const [today] = useState(() => dayOf(new Date()));
  const { data } = useQuery(paymentsAheadQuery(useProfile().id));
  return (data ? leavingLines(data, today, t) : []).map((line) => (
    <span key={line} className="block">
      {line}
    </span>
  ));
}

function Kept() {
  const { t } = useTranslation();
  const { data } = useQuery(ownHoldsQuery(useProfile().id));
  return data && holdText(data, t);
}
