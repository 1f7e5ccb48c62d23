import { zodResolver } from '@hookform/resolvers/zod';
import { dayOf } from '@parrain/domain/date';
import { associationNumber, type PaymentDecision } from '@parrain/domain/forms/payment-decision';
import { optionalLine, optionalText, requiredText } from '@parrain/domain/forms/fields';
import { reasonLengthMax } from '@parrain/domain/forms/limits';
import { groupBy } from '@parrain/domain/group-by';
import { refusalReasonRequired } from '@parrain/domain/messages';
import { formatEuros, sum } from '@parrain/domain/money';
import { paymentMethodLabel, type PaymentRequest } from '@parrain/domain/payment-request';
import { setsAside } from '@parrain/domain/standing';
import { withVat } from '@parrain/domain/vat';
import { useQueries } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { sendPaymentDecision } from '#api/payments/decide-payment-request';
import { paymentRequestDetailsQuery } from '#api/payments/payment-request-details';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { CopyButton } from '#ui/copy-button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { BulkDialog } from '../parts/bulk-dialog.tsx';
import { SetAside, StandingReasons } from '../parts/standing.tsx';
import { groupedIban } from './payment-details.tsx';

export interface BulkDecision {
  to: 'approved' | 'rejected' | 'paid';
  /** As they were seen when they were selected: each is decided on that version. */
  requests: readonly PaymentRequest[];
}

export interface BulkDecisionDialogProps {
  decision: BulkDecision;
  /** These were decided: they leave the selection. */
  onDone: (requests: readonly PaymentRequest[]) => void;
  onClose: () => void;
}

/** NV-04: one decision on many requests: how many and how much, who receives what, then what became of each. */
export function BulkDecisionDialog({ decision: { to, requests: all }, onDone, onClose }: BulkDecisionDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [today] = useState(() => dayOf(new Date()));
  const words = decisionWords[to];
  const { ready: requests, aside } = sortedOut(all, to);
  const count = countText(requests.length, t('demande'), t('demandes'));
  // A rejected amount is before tax; any other has its VAT.
  const total = formatEuros(sum(requests.map((request) => (to === 'rejected' ? request.amount : withVat(request)))));
  const donations = to === 'paid' ? donationsOf(requests) : [];
  const form = useForm({
    resolver: zodResolver(schemas[to]),
    mode: 'onTouched',
    defaultValues: {
      reason: '',
      date: today,
      reference: '',
      associations: donations.map(({ name }) => ({ name, number: '' })),
    },
  });
  const { errors } = form.formState;
  const submit = (go: (input: Input) => void) => void form.handleSubmit(go)();
  return (
    <BulkDialog<PaymentRequest, Input>
      rows={requests}
      title={t(words.title, { count })}
      description={t(words.consequence, { total })}
      tone={to === 'rejected' ? 'danger' : 'primary'}
      confirmLabel={t('{{verb}} {{total}}', { verb: t(words.verb), total })}
      confirmDisabled={requests.length === 0}
      submit={submit}
      act={(request, input) => {
        const place = donations.findIndex((donation) => donation.requests.includes(request));
        return sendPaymentDecision(decisionOn(request, to, input, input.associations[place] ?? null));
      }}
      name={(request) => <Named request={request} />}
      leftTitle={(left, of) => t('Laissées de côté : {{count}} sur {{total}}', { count: left, total: of })}
      onDone={(done) => {
        onDone(done);
        toast.success(t(done.length > 1 ? words.doneMany : words.doneOne, { count: done.length }), {
          description: formatEuros(sum(done.map((request) => (to === 'rejected' ? request.amount : withVat(request))))),
        });
      }}
      onClose={onClose}
    >
      <SetAside
        title={t('Laissées de côté : {{count}} sur {{total}}', { count: aside.length, total: all.length })}
        rows={aside}
        name={(request) => <Named request={request} />}
        reasons={({ standing = [], clientId }) => (
          <StandingReasons standing={standing.filter((one) => setsAside(one, to))} clientId={clientId} />
        )}
      />
      <Payees requests={requests} withAccounts={to === 'paid'} />
      <div className="grid gap-4 sm:grid-cols-2">
        {to === 'rejected' && (
          <div className="sm:col-span-2">
            <Field label={t('Raison du refus')} hint={t('Chaque client la lit.')} error={errors.reason?.message}>
              <Textarea rows={2} counterMax={reasonLengthMax} {...form.register('reason')} />
            </Field>
          </div>
        )}
        {donations.map(({ name, requests: given }, place) => (
          <fieldset key={name} className="grid gap-4 sm:col-span-2 sm:grid-cols-2">
            <legend className="mb-2 text-sm text-encre-soft">
              {t('Association qui reçoit {{donations}}, {{amount}} en tout', {
                donations: countText(given.length, t('don'), t('dons')),
                amount: formatEuros(sum(given.map((request) => request.amount))),
              })}
            </legend>
            <Field label={t('Association')} optional error={errors.associations?.[place]?.name?.message}>
              <TextInput autoComplete="off" {...form.register(`associations.${place}.name`)} />
            </Field>
            <Field label={t('RNA ou SIREN')} optional error={errors.associations?.[place]?.number?.message}>
              <TextInput autoComplete="off" {...form.register(`associations.${place}.number`)} />
            </Field>
          </fieldset>
        ))}
        {to === 'paid' && (
          <>
            <Field label={t('Date du paiement')} error={errors.date?.message}>
              <TextInput type="date" max={today} {...form.register('date')} />
            </Field>
            <Field
              label={t('Référence')}
              optional
              hint={t(
                'Le client peut la lire. Sans elle, les pièces n’en portent pas ; elle peut être ajoutée ensuite.',
              )}
              error={errors.reference?.message}
            >
              <TextInput autoComplete="off" {...form.register('reference')} />
            </Field>
          </>
        )}
      </div>
    </BulkDialog>
  );
}

function Named({ request }: { request: PaymentRequest }) {
  return (
    <>
      <span className="font-medium">{request.client?.fullName ?? '—'}</span>, <Amount cents={withVat(request)} />
    </>
  );
}

/** DF-40: those that the decision is made on, and those that something stands against, which are left to one of their own. */
export function sortedOut(requests: readonly PaymentRequest[], to: BulkDecision['to']) {
  const isAside = ({ standing = [] }: PaymentRequest) => standing.some((one) => setsAside(one, to));
  return { ready: requests.filter((one) => !isAside(one)), aside: requests.filter(isAside) };
}

const decisionWords = {
  approved: {
    verb: 'Approuver',
    title: 'Approuver {{count}} ?',
    consequence:
      '{{total}} restent réservés jusqu’au paiement. Une approbation peut être annulée tant que rien n’est payé.',
    doneOne: '{{count}} demande approuvée',
    doneMany: '{{count}} demandes approuvées',
  },
  rejected: {
    verb: 'Refuser',
    title: 'Refuser {{count}} ?',
    consequence: '{{total}} redeviennent disponibles pour ces clients.',
    doneOne: '{{count}} demande refusée',
    doneMany: '{{count}} demandes refusées',
  },
  paid: {
    verb: 'Marquer payé :',
    title: 'Confirmer le paiement de {{count}} ?',
    consequence: 'À faire une fois les paiements partis, {{total}} en tout : cette décision est définitive.',
    doneOne: '{{count}} demande marquée payée',
    doneMany: '{{count}} demandes marquées payées',
  },
} as const;

const referenceLengthMax = 140;
const noReason = z.object({
  reason: z.string(),
  date: z.string(),
  reference: optionalText(referenceLengthMax),
  associations: z.array(z.object({ name: optionalLine(), number: associationNumber })),
});
const schemas = {
  approved: noReason,
  rejected: z.extend(noReason, { reason: requiredText(refusalReasonRequired, reasonLengthMax) }),
  paid: z.extend(noReason, { date: requiredText('Indiquez la date du paiement', 10) }),
} as const;

type Input = z.output<typeof noReason>;

function decisionOn(
  request: PaymentRequest,
  to: BulkDecision['to'],
  { reason, date, reference }: Input,
  given: Input['associations'][number] | null,
): PaymentDecision {
  const association = given === null || given.name === null ? null : { name: given.name, number: given.number };
  const seen = { requestId: request.id, seenVersion: request.version };
  if (to === 'rejected') return { status: to, ...seen, adminNotes: null, rejectionReason: reason };
  return {
    status: to,
    ...seen,
    expectedAmount: withVat(request),
    adminNotes: to === 'paid' ? paidNote(date, reference) : null,
    paidOn: to === 'paid' ? date : null,
    settlement: reference === null && association === null ? null : { reference, association },
  };
}

/** PO-03: the donations by the association that their clients named, however they wrote it: each is asked for once. */
function donationsOf(requests: readonly PaymentRequest[]) {
  const named = requests.flatMap((request) =>
    request.paymentDetails.method === 'association' ? [{ request, name: request.paymentDetails.associationName }] : [],
  );
  const groups = groupBy(named, ({ name }) => name.trim().replaceAll(/\s+/gu, ' ').toLocaleLowerCase('fr-FR'));
  return [...groups.values()].map((group) => ({
    name: group[0]?.name ?? '',
    requests: group.map(({ request }) => request),
  }));
}

/** « Payé le 22/11/2026, référence VIR-12 ». */
function paidNote(date: string, reference: string | null): string {
  const day = date.split('-').toReversed().join('/');
  return reference === null ? `Payé le ${day}` : `Payé le ${day}, référence ${reference}`;
}

/** List of payees, by means of payment with its total; the accounts in clear where they are asked for (V-18). */
function Payees({ requests, withAccounts }: { requests: readonly PaymentRequest[]; withAccounts: boolean }) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(false);
  const transfers = withAccounts ? requests.filter((request) => request.paymentMethod === 'virement') : [];
  const accounts = useQueries({
    queries: transfers.map((request) => ({
      ...paymentRequestDetailsQuery(request.id, request.paymentMethod),
      enabled: asked,
    })),
  });
  const accountOf = (request: PaymentRequest) => {
    const details = accounts[transfers.indexOf(request)]?.data;
    return details?.method === 'virement' ? details : undefined;
  };
  const methods = [...new Set(requests.map((request) => request.paymentMethod))];
  return (
    <div className="grid gap-4">
      {methods.map((method) => (
        <MethodGroup
          key={method}
          method={method}
          requests={requests.filter((request) => request.paymentMethod === method)}
          accountOf={accountOf}
        />
      ))}
      {transfers.length > 0 && (
        <div className="flex flex-wrap items-center gap-3">
          {accounts.some((account) => account.isError) && (
            <Notice tone="error">{t('Des coordonnées n’ont pas pu être lues.')}</Notice>
          )}
          {!accounts.every((account) => account.isSuccess) && (
            <Button
              size="sm"
              icon={<Eye />}
              pending={accounts.some((account) => account.isFetching)}
              onClick={() =>
                asked ? accounts.forEach((account) => account.isError && void account.refetch()) : setAsked(true)
              }
            >
              {t('Afficher les IBAN')}
            </Button>
          )}
          <p className="text-sm text-encre-faint">{t('Chaque consultation est inscrite au journal.')}</p>
        </div>
      )}
    </div>
  );
}

interface MethodGroupProps {
  method: string;
  requests: readonly PaymentRequest[];
  accountOf: (request: PaymentRequest) => { iban: string; beneficiaryName: string } | undefined;
}

function MethodGroup({ method, requests, accountOf }: MethodGroupProps) {
  const { t } = useTranslation();
  return (
    <section className="rounded-field border border-sapin/35 bg-sapin-tint">
      <h3 className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-sapin/20 px-4 py-2 font-sans text-base font-medium tracking-normal">
        <span>
          {t(paymentMethodLabel(method))}{' '}
          <span className="text-sm font-normal text-encre-soft">
            {countText(requests.length, t('demande'), t('demandes'))}
          </span>
        </span>
        <Amount cents={sum(requests.map(withVat))} />
      </h3>
      <ul className="divide-y divide-sapin/20 px-4">
        {requests.map((request) => {
          const account = accountOf(request);
          return (
            <li key={request.id} className="flex items-start justify-between gap-4 py-2">
              <span className="min-w-0 break-words">
                {request.client?.fullName ?? '—'}
                {account && (
                  <span className="flex flex-wrap items-center gap-x-2 text-sm text-encre-soft">
                    <span>{account.beneficiaryName}</span>
                    <span className="tabular-digits">{groupedIban(account.iban)}</span>
                    <CopyButton text={account.iban} label={t('Copier')} />
                  </span>
                )}
              </span>
              <Amount cents={withVat(request)} className="shrink-0 font-medium" />
            </li>
          );
        })}
      </ul>
    </section>
  );
}
