import { das2Sentence, das2State } from '@parrain/domain/das2';
import { dayOf } from '@parrain/domain/date';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { das2PayeeQuery } from '#api/payments/das2';
import { Notice } from '#ui/notice';

/** PP-04: « 2 150 € payés en 2026, seuil 2 400 € », for a payee who is near the year's threshold or over it. */
export function Das2Note({ payeeId }: { payeeId: string }) {
  const [year] = useState(() => Number.parseInt(dayOf(new Date()).slice(0, 4), 10));
  const { data: payee } = useQuery(das2PayeeQuery(year, payeeId));
  if (!payee || !['near', 'over'].includes(das2State(year, payee))) return null;
  return <Notice tone="warning">{`${das2Sentence(year, payee)} (DAS2).`}</Notice>;
}
