import { formatDate } from '@parrain/domain/date';
import { refusalReasonRequired } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import { ofName } from '@parrain/domain/of-name';
import { monthName } from '@parrain/domain/statement';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  matchReceived,
  refuseReceived,
  setAsideReceived,
  setAsideSupplier,
  type Candidate,
  type ReceivedRow,
} from '#api/payments/received-invoices';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Checkbox } from '#ui/checkbox';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';
import { Select } from '#ui/select';
import { useToast } from '#ui/toast';
import { ReasonDialog } from '../parts/reason-dialog.tsx';

type Act = 'match' | 'refuse' | 'aside';

/** A month is of one payee alone. */
function keyOf({ id, payeeId }: Candidate): string {
  return `${payeeId} ${id}`;
}

/** EI-02: what becomes of an invoice that waits: the request or month that it is of, a refusal with its reason, or nothing of this programme. */
export function ReceivedDecision({ invoice, title }: { invoice: ReceivedRow; title: string }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [act, setAct] = useState<Act | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isSupplier, setIsSupplier] = useState(false);
  const { id, said, candidates, supplier } = invoice;
  const due = candidates.find((one) => keyOf(one) === chosen) ?? (candidates.length === 1 ? candidates[0] : undefined);
  const areMonths = candidates.some(({ of }) => of === 'month');
  const decision = useMutation({
    mutationFn: (decide: () => Promise<string>) => decide(),
    onSuccess: (message) => {
      setAct(null);
      toast.success(t(message));
    },
  });
  const shared = {
    pending: decision.isPending,
    error: decision.isError ? messageOf(decision.error, t('Cela n’a pas pu être noté.')) : undefined,
  };
  const open = (next: Act) => () => {
    decision.reset();
    setAct(next);
  };
  return (
    <div className="flex flex-wrap gap-2">
      {candidates.length > 0 && (
        <Button size="sm" variant="primary" onClick={open('match')}>
          {t('Rapprocher')}
        </Button>
      )}
      {said !== null && said.number !== null && (
        <Button size="sm" onClick={open('refuse')}>
          {t('Refuser')}
        </Button>
      )}
      <Button size="sm" onClick={open('aside')}>
        {t('Écarter')}
      </Button>
      {act === 'match' && (
        <ConfirmDialog
          open
          onOpenChange={(next) => !next && setAct(null)}
          tone="primary"
          title={t('Rapprocher : {{title}}', { title })}
          description={
            areMonths
              ? t('Elle sera jointe au mois du commercial, où il restera à l’accepter ou à la refuser.')
              : t('Elle sera jointe à la demande, où il restera à l’accepter ou à la refuser.')
          }
          confirmLabel={t('Rapprocher')}
          confirmDisabled={due === undefined}
          onConfirm={() => due !== undefined && decision.mutate(() => matchReceived(id, due))}
          {...shared}
        >
          <Field label={areMonths ? t('Mois du commercial') : t('Demande de virement')}>
            <Select
              value={due === undefined ? null : keyOf(due)}
              onValueChange={setChosen}
              placeholder={areMonths ? t('Choisissez le mois') : t('Choisissez la demande')}
              options={candidates.map((one) => ({
                value: keyOf(one),
                label: `${one.name}, ${formatEuros(one.amount)}`,
                description:
                  one.of === 'month'
                    ? t('commissions {{ofMonth}}', { ofMonth: ofName(monthName(one.id)) })
                    : t('demandée le {{day}}', { day: formatDate(one.createdAt) }),
              }))}
            />
          </Field>
        </ConfirmDialog>
      )}
      {act === 'refuse' && (
        <ReasonDialog
          title={t('Refuser : {{title}}', { title })}
          description={t('La plateforme transmet le refus et sa raison à l’expéditeur.')}
          reasonLabel={t('Raison du refus')}
          requiredMessage={refusalReasonRequired}
          confirmLabel={t('Refuser la facture')}
          onConfirm={(reason) => decision.mutate(() => refuseReceived(id, reason))}
          onClose={() => setAct(null)}
          {...shared}
        />
      )}
      {act === 'aside' && (
        <ConfirmDialog
          open
          onOpenChange={(next) => !next && setAct(null)}
          title={t('Écarter : {{title}}', { title })}
          description={t(
            'Elle n’est pas du parrainage : rien n’est dit à l’expéditeur, et Parrain efface le fichier. Votre plateforme garde l’original.',
          )}
          confirmLabel={t('Écarter')}
          onConfirm={() => decision.mutate(() => (isSupplier ? setAsideSupplier(id) : setAsideReceived(id)))}
          {...shared}
        >
          {supplier !== null && (
            <Checkbox
              label={t('Écarter toutes les factures de ce fournisseur')}
              description={t(
                'Celles qui attendent ici, et celles à venir, qui le seront d’elles-mêmes. Cela se défait en bas de la liste.',
              )}
              checked={isSupplier}
              onChange={(event) => setIsSupplier(event.target.checked)}
            />
          )}
        </ConfirmDialog>
      )}
    </div>
  );
}
