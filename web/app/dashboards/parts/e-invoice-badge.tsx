import { eInvoiceStateLabels, eInvoiceStatusText, type EInvoiceState } from '@parrain/domain/e-invoice';
import { Check, Clock, Download, Send, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { EInvoice } from '#api/payments/e-invoices';
import { Badge, type BadgeTone } from '#ui/badge';

/** EI-01: what became of an invoice, in a word: the platform's last one where it says more. */
export function EInvoiceBadge({ invoice }: { invoice: EInvoice }) {
  const { t } = useTranslation();
  const { state, code } = invoice;
  const [tone, icon] = looks[state];
  const isNamed = code !== null && /^\d/u.test(code) && ['accepted', 'refused'].includes(state);
  return (
    <Badge tone={tone} icon={icon}>
      {t(isNamed ? eInvoiceStatusText(code) : eInvoiceStateLabels[state])}
    </Badge>
  );
}

const looks: Readonly<Record<EInvoiceState, readonly [BadgeTone, ReactNode]>> = {
  unsent: ['neutral', <Clock key="icon" aria-hidden />],
  waiting: ['amber', <Clock key="icon" aria-hidden />],
  deposited: ['blue', <Send key="icon" aria-hidden />],
  accepted: ['green', <Check key="icon" aria-hidden />],
  collected: ['green', <Check key="icon" aria-hidden />],
  refused: ['red', <TriangleAlert key="icon" aria-hidden />],
  exported: ['amber', <Download key="icon" aria-hidden />],
  elsewhere: ['green', <Check key="icon" aria-hidden />],
};
