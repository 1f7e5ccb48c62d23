import { dayOf } from '@parrain/domain/date';
import { formatEuros } from '@parrain/domain/money';
import {
  acceptsRequestsOn,
  requestDaysText,
  requestRulesDefault,
  type RequestRules,
} from '@parrain/domain/request-rules';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { companySettings } from '#api/company/company-settings';
import type { ClientCards } from '#api/payments/client-figures';

export interface MayAsk {
  /** CL-08: something is available, and the company takes requests today (PO-06). */
  mayAsk: boolean;
  rules: RequestRules;
  /** Why nothing can be asked although something is available; else null. */
  obstacle: string | null;
}

/** Tells whether a payment may be asked for at an instant. */
export function useMayAsk(cards: ClientCards | undefined, at: Date): MayAsk {
  const { t } = useTranslation();
  const rules = useQuery(companySettings).data?.requestRules ?? requestRulesDefault;
  const available = cards?.available ?? 0n;
  const obstacle =
    rules.days !== null && !acceptsRequestsOn(dayOf(at), rules.days)
      ? t('Les demandes de paiement sont ouvertes {{days}}.', { days: requestDaysText(rules.days) })
      : rules.smallest > requestRulesDefault.smallest && available < rules.smallest
        ? t('Un paiement se demande à partir de {{smallest}}.', { smallest: formatEuros(rules.smallest) })
        : null;
  return { mayAsk: available > 0n && obstacle === null, rules, obstacle: available > 0n ? obstacle : null };
}
