import { awaitingCompanyValidation } from '@parrain/domain/messages';
import {
  saleBadge,
  saleState,
  type Sale,
  type SaleAudience,
  type SaleFacts,
  type SaleState,
} from '@parrain/domain/sale';
import { CircleCheck, CircleX, Clock3, Handshake, Hourglass, Phone, Undo2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '#ui/badge';

export interface SaleStatusProps {
  sale: Pick<
    Sale,
    'status' | 'readyForValidation' | 'adminValidated' | 'correctsSaleId' | 'contractLeft' | 'rejectionReason'
  > &
    Pick<SaleFacts, 'contractAmount'>;
  /** Audience whose words are used: S-01, S-05 or S-07. */
  audience: SaleAudience;
}

/** The status of a sale in the words of who looks at it: colour, icon and word, the same on every screen. */
export function SaleStatus({ sale, audience }: SaleStatusProps) {
  const { t } = useTranslation();
  const { label, tone, isAwaitingCompany } = saleBadge(sale, audience);
  return (
    <>
      {/* A reason is cut where it is long, whole in its title; a word never breaks. */}
      <Badge tone={tone} icon={iconOf(sale, audience)} className="whitespace-nowrap">
        {sale.status === 'rejected' && audience === 'admin' ? (
          <span title={label} className="block max-w-52 truncate">
            {t(label)}
          </span>
        ) : (
          t(label)
        )}
      </Badge>
      {isAwaitingCompany && (
        <span className="block text-xs/3.5 font-normal whitespace-nowrap text-purple group-data-[density=compact]/table:hidden">
          {/* The admin's badge begins the sentence (S-05). */}
          {audience === 'admin' ? t('validation société') : t(awaitingCompanyValidation)}
        </span>
      )}
    </>
  );
}

function iconOf(sale: SaleStatusProps['sale'], audience: SaleAudience): ReactNode {
  const state = saleState(sale);
  // For the admin and the client several states share one word, and then one icon.
  return audience !== 'commercial' && sharedWord.has(state) ? <Clock3 aria-hidden /> : icons[state];
}

const sharedWord: ReadonlySet<SaleState> = new Set(['pending', 'contacted', 'in_negotiation']);

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
