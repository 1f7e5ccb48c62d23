import { debtOf, secondAdminSentence } from '@parrain/domain/debt';
import { formatDate } from '@parrain/domain/date';
import { ledgerActLabels } from '@parrain/domain/ledger';
import { formatEuros } from '@parrain/domain/money';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CircleSlash } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  adjustmentsOfQuery,
  debtActsQuery,
  decideWaiver,
  type Adjustment,
  type DebtAct,
  type SeenAccount,
} from '#api/payments/debt-acts';
import { payeeAccountQuery } from '#api/payments/payee-accounts';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { PlaceLink } from './place-link.tsx';
import { ReceiptButton } from '../../parts/receipt-button.tsx';

const DebtDialog = lazyPart(() => import('./debt-dialog.tsx'));

/** The act that a dialog is open for. */
export type OpenAct = 'repay' | 'waive' | 'adjust' | { annuls: DebtAct };

/** AC-05: what an admin may do about a payee's account, and what was done about their debt. */
export default function AccountActs({ payeeId, name }: { payeeId: string; name: string }) {
  const { t } = useTranslation();
  const account = useQuery(payeeAccountQuery(payeeId));
  const { data: acts = [] } = useQuery(debtActsQuery(payeeId));
  const { data: adjustments = [] } = useQuery(adjustmentsOfQuery(payeeId));
  const [open, setOpen] = useState<OpenAct>();
  // Who has earned nothing yet has no account: it can be adjusted all the same.
  if (account.data === undefined) return null;
  const available = account.data?.available ?? 0n;
  const debt = debtOf({ available, reserved: account.data?.reserved ?? 0n });
  const seen: SeenAccount = { payeeId, available, debt };
  return (
    <section aria-label={t('Dette et ajustements')} className="flex flex-col gap-3">
      <h3 className="text-lg">{t('Dette et ajustements')}</h3>
      {debt > 0n && (
        <p>
          {t('{{name}} doit {{debt}}. Ses prochaines commissions les rembourseront d’elles-mêmes.', {
            name,
            debt: formatEuros(debt),
          })}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {debt > 0n && (
          <>
            <Button size="sm" onClick={() => setOpen('repay')}>
              {t('Enregistrer un remboursement')}
            </Button>
            <Button size="sm" onClick={() => setOpen('waive')}>
              {t('Abandonner la dette')}
            </Button>
          </>
        )}
        <Button size="sm" onClick={() => setOpen('adjust')}>
          {t('Ajuster le solde')}
        </Button>
      </div>
      {acts.length > 0 && (
        <ul aria-label={t('Remboursements et abandons')} className="divide-y divide-hairline border-y border-hairline">
          {acts.map((act) => (
            <ActLine key={act.id} act={act} onAnnul={() => setOpen({ annuls: act })} />
          ))}
        </ul>
      )}
      {adjustments.length > 0 && (
        <ul aria-label={t('Ajustements')} className="divide-y divide-hairline border-y border-hairline">
          {adjustments.map((adjustment) => (
            <AdjustmentLine key={adjustment.id} adjustment={adjustment} payeeId={payeeId} />
          ))}
        </ul>
      )}
      {open !== undefined && <DebtDialog open={open} seen={seen} name={name} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

/** LG-06: an adjustment leads to its thread, where it is decided or taken back. */
function AdjustmentLine({ adjustment, payeeId }: { adjustment: Adjustment; payeeId: string }) {
  const { t } = useTranslation();
  const { id, amount, at, reason, annulledAt } = adjustment;
  return (
    <li className="flex flex-col gap-1.5 py-2.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <PlaceLink
          to={{ search: `?section=controle-des-comptes&personne=${payeeId}&contestation=${id}` }}
          className="font-medium"
        >
          {at === null ? t('Ajustement à confirmer') : t(ledgerActLabels[amount > 0n ? 'adjustment' : 'deduction'])}
        </PlaceLink>
        <Amount cents={amount} />
      </p>
      {reason !== null && <p className="text-sm break-words text-encre-soft">«&nbsp;{reason}&nbsp;»</p>}
      <div className="flex flex-wrap items-center gap-2">
        {at !== null && <DateText value={at} className="mr-auto text-sm text-encre-faint" />}
        {annulledAt !== null && (
          <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
            {t('Annulé')}
          </Badge>
        )}
      </div>
    </li>
  );
}

function ActLine({ act, onAnnul }: { act: DebtAct; onAnnul: () => void }) {
  const { t } = useTranslation();
  const day = act.at === null ? '' : formatDate(act.at);
  return (
    <li className="flex flex-col gap-1.5 py-2.5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="font-medium">
          {act.at === null ? t('Abandon de dette demandé') : t(ledgerActLabels[act.kind])}
        </span>
        <Amount cents={act.amount} />
      </p>
      {act.reason !== null && <p className="text-sm break-words text-encre-soft">«&nbsp;{act.reason}&nbsp;»</p>}
      {act.at === null ? (
        <WaitingWaiver act={act} />
      ) : (
        <div className="flex flex-wrap items-center gap-2">
          <DateText value={act.at} className="mr-auto text-sm text-encre-faint" />
          {act.kind === 'repayment' && <ReceiptButton actId={act.id} of={day} />}
          {act.annulledAt === null ? (
            <Button size="sm" aria-label={t('Annuler l’opération du {{day}}', { day })} onClick={onAnnul}>
              {t('Annuler')}
            </Button>
          ) : (
            <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
              {t('Annulé')}
            </Badge>
          )}
        </div>
      )}
    </li>
  );
}

/** A waiver above the company's amount: another admin confirms it, any may give it up. */
function WaitingWaiver({ act }: { act: DebtAct }) {
  const { t } = useTranslation();
  const toast = useToast();
  const me = useProfile();
  const deciding = useMutation({
    mutationFn: (confirms: boolean) => decideWaiver(act.id, confirms),
    onSuccess: (message) => toast.success(t(message)),
    onError: refresh,
  });
  const isMine = act.decidedBy === me.id;
  return (
    <>
      <p className="text-sm text-encre-soft">{t(secondAdminSentence(isMine))}</p>
      {deciding.isError && <Notice tone="error">{messageOf(deciding.error, t('Erreur lors de l’envoi'))}</Notice>}
      <div className="flex flex-wrap justify-end gap-2">
        <Button size="sm" disabled={deciding.isPending} onClick={() => deciding.mutate(false)}>
          {t('Retirer')}
        </Button>
        {!isMine && (
          <Button size="sm" variant="primary" pending={deciding.isPending} onClick={() => deciding.mutate(true)}>
            {t('Confirmer l’abandon')}
          </Button>
        )}
      </div>
    </>
  );
}
