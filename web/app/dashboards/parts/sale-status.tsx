import { saleBadge, saleState, type Sale, type SaleAudience, type SaleState } from '@parrain/domain/sale';
import { CircleCheck, CircleX, Clock3, Handshake, Hourglass, Phone, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';

export interface SaleStatusProps {
  sale: Pick<Sale, 'status' | 'readyForValidation' | 'adminValidated' | 'correctsSaleId' | 'rejectionReason'>;
  /** Whose words: S-01, S-05 or S-07. */
  audience: SaleAudience;
}

/** The status of a sale in the words of who looks at it: colour, icon and word, the same on every screen. */
export function SaleStatus({ sale, audience }: SaleStatusProps) {
  const { t } = useTranslation();
  const { label, tone } = saleBadge(sale, audience);
  return (
    // A reason may run over lines; a word never does.
    <Badge
      tone={tone}
      icon={iconOf(sale, audience)}
      className={sale.status === 'rejected' && audience === 'admin' ? 'rounded-field' : 'whitespace-nowrap'}
    >
      {t(label)}
    </Badge>
  );
}

function iconOf(sale: SaleStatusProps['sale'], audience: SaleAudience): ReactNode {
  const state = saleState(sale);
  // For the admin and the client several states share one word, and then one icon.
  if (audience !== 'commercial' && sharedWord[audience].includes(state)) return <Clock3 aria-hidden />;
  if (audience !== 'admin' && state === 'awaiting_admin_validation') return icons.validated;
  return icons[state];
}

const sharedWord: Readonly<Record<'admin' | 'client', readonly SaleState[]>> = {
  admin: ['pending', 'contacted', 'in_negotiation', 'awaiting_final_validation'],
  client: ['pending', 'contacted', 'in_negotiation', 'awaiting_final_validation'],
};

const icons: Readonly<Record<SaleState, ReactNode>> = {
  pending: <Clock3 aria-hidden />,
  contacted: <Phone aria-hidden />,
  in_negotiation: <Handshake aria-hidden />,
  awaiting_final_validation: <Hourglass aria-hidden />,
  awaiting_admin_validation: <Hourglass aria-hidden />,
  validated: <CircleCheck aria-hidden />,
  rejected: <CircleX aria-hidden />,
  correction: <Undo2 aria-hidden />,
};
