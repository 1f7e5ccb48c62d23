import { zodResolver } from '@hookform/resolvers/zod';
import { dayOf, formatDateTime } from '@parrain/domain/date';
import { isOutsideEea } from '@parrain/domain/eea';
import { paymentRequestForm, type PaymentRequestInput } from '@parrain/domain/forms/payment-request';
import { paymentRequestFailed, paymentRequestSent } from '@parrain/domain/messages';
import { formatAmount, formatEuros, parseEuros, toWire, type Cents } from '@parrain/domain/money';
import { plainEuros } from '@parrain/domain/plain-euros';
import {
  paymentMethodDefault,
  paymentMethodLabels,
  paymentMethods,
  remembered,
  type PaymentMethod,
  type PaymentRequest,
} from '@parrain/domain/payment-request';
import { formatPercent, type BasisPoints } from '@parrain/domain/percent';
import type { RequestRules } from '@parrain/domain/request-rules';
import { isVatAccepted } from '@parrain/domain/payee';
import { paymentDetailsToWire } from '@parrain/domain/wire';
import { vatOf, vatRateOn, withVat, type Vat } from '@parrain/domain/vat';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Gift, HeartHandshake, Landmark, Store } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useForm, useWatch, type FieldErrors, type FieldNamesMarkedBoolean } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import { ApiError, reasonOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { refresh } from '#api/transport/refresh';
import { useDraft } from '#api/transport/use-draft';
import { payeeQuery } from '#api/payments/papers';
import { requestPayment } from '#api/payments/request-payment';
import { useProfile } from '#api/transport/session';
import { randomKey } from '#api/transport/random-key';
import { Amount } from '#ui/amount';
import { AmountInput } from '#ui/amount-input';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Notice } from '#ui/notice';
import { RadioGroup } from '#ui/radio-group';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { AbroadFields } from '../../parts/abroad-fields.tsx';
import { noAbroad } from '../../parts/no-abroad.ts';
import { IbanField } from '../../parts/iban-field.tsx';

export interface PaymentRequestDialogProps {
  open: boolean;
  /** The amount available, as the server has it (V-16). */
  available: Cents;
  /** Rules of the requests that the company accepts (PO-06). */
  rules: RequestRules;
  /** Earned, and available later (LG-03). */
  held: Cents;
  /** The newest requests. */
  asked: readonly PaymentRequest[] | undefined;
  onClose: () => void;
}

/** « Nouvelle demande de paiement » (CL-07, V-14, V-15): how much, how, and what remains, before the button. */
export function PaymentRequestDialog({
  open,
  available,
  rules,
  held,
  asked: earlier,
  onClose,
}: PaymentRequestDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const waiting = earlier?.filter(({ status }) => status === 'pending');
  const [twin, setTwin] = useState<{ asked: Asked; like: PaymentRequest }>();
  // The requests that waited when this form was first sent: one that joined them since may be its own, its answer lost.
  const [known, setKnown] = useState<ReadonlySet<string>>();
  const request = useMutation({
    mutationFn: ({ input, key }: { input: PaymentRequestInput; key: string }) => requestPayment(input, key),
    onSuccess: () => {
      toast.success(t(paymentRequestSent));
      close();
    },
    // Refused, the available amount may be another than the one on screen.
    onSettled: () => {
      setTwin(undefined);
      refresh();
    },
  });
  const close = () => {
    request.reset();
    setTwin(undefined);
    setKnown(undefined);
    onClose();
  };
  const send = ({ input, key, onRefused }: Asked) => request.mutate({ input, key }, { onError: onRefused });
  return (
    <FormDialog
      open={open}
      title={t('Nouvelle demande de paiement')}
      description={
        held > 0n
          ? t('{{amount}} disponibles, {{held}} à venir à la fin de leur délai', {
              amount: formatEuros(available),
              held: formatEuros(held),
            })
          : t('{{amount}} disponibles', { amount: formatEuros(available) })
      }
      onClose={close}
      action={t('Envoyer la demande')}
      pending={request.isPending}
    >
      {(formId) => (
        <>
          <PaymentRequestForm
            id={formId}
            available={available}
            rules={rules}
            earlier={earlier ?? []}
            error={request.error}
            onSubmit={(asked) => {
              // FX-66: a second request of the same amount is a request; perhaps it was not meant.
              const before = known ?? new Set(waiting?.map(({ id }) => id));
              setKnown(before);
              const like = waiting?.find(({ amount }) => amount === asked.input.amount);
              if (like === undefined) send(asked);
              else setTwin({ asked: before.has(like.id) ? asked : { ...asked, key: randomKey() }, like });
            }}
          />
          {twin && (
            <TwinQuestion
              like={twin.like}
              pending={request.isPending}
              onConfirm={() => send(twin.asked)}
              onClose={() => setTwin(undefined)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

interface TwinQuestionProps {
  like: PaymentRequest;
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** On a phone its button comes under the finger that sent the form: a second tap of the same gesture confirms nothing. */
const readableMs = 600;

/** FX-66: asked before a second request of the same amount. */
function TwinQuestion({ like, pending, onConfirm, onClose }: TwinQuestionProps) {
  const { t } = useTranslation();
  const [isReadable, setReadable] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setReadable(true), readableMs);
    return () => clearTimeout(timer);
  }, []);
  const amount = formatEuros(like.amount);
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t('Demander {{amount}} une seconde fois ?', { amount })}
      description={t(
        'Vous avez déjà demandé {{amount}} le {{date}}, et cette demande attend une réponse. La nouvelle s’y ajoute.',
        { amount, date: formatDateTime(like.createdAt) },
      )}
      confirmLabel={t('Envoyer une seconde demande')}
      confirmDisabled={!isReadable}
      pending={pending}
      onConfirm={onConfirm}
    />
  );
}

interface PaymentRequestFormProps {
  id: string;
  available: Cents;
  rules: RequestRules;
  earlier: readonly PaymentRequest[];
  error: Error | null;
  onSubmit: (asked: Asked) => void;
}

/** A form that was sent: its key, and what becomes of it where the server refuses. */
interface Asked {
  input: PaymentRequestInput;
  key: string;
  onRefused: (error: Error) => void;
}

function PaymentRequestForm({ id, available, rules, earlier, error, onSubmit }: PaymentRequestFormProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  // V-20: one key for as long as the form is open, so that a lost answer asked again is one request.
  const [idempotencyKey, setIdempotencyKey] = useState(() => randomKey());
  const firstMethod = rules.methods.includes(paymentMethodDefault)
    ? paymentMethodDefault
    : (rules.methods[0] ?? paymentMethodDefault);
  const schema = useMemo(() => paymentRequestForm(available, rules), [available, rules]);
  // UI-10: what was given once. Requests that come while the form is open change nothing in it.
  const [known] = useState(() => knownDetails(earlier));
  const form = useForm({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: {
      amount: available >= rules.smallest ? formatAmount(available) : '',
      payment_method: firstMethod,
      payment_details: {
        iban: '',
        ...noAbroad,
        beneficiary_name: profile.fullName,
        gift_card_type: '',
        association_name: '',
        association_details: '',
        company_account: '',
        same_as: '',
        ...known.details,
      },
    },
  });
  const { register, control, handleSubmit, setError, setValue, formState } = form;
  useDraft(form, 'payment-request');
  const { dirtyFields, isSubmitted } = formState;
  // Nothing is wrong before something is typed, or sent.
  const errors = isSubmitted ? formState.errors : onlyTyped(formState.errors, dirtyFields);
  const method = methodOf(useWatch({ control, name: 'payment_method' }));
  const amount = parseEuros(String(useWatch({ control, name: 'amount' }) ?? ''));
  const iban = useWatch({ control, name: 'payment_details.iban' });
  const vatRate = useVatRate();
  const vat = method === 'virement' && vatRate !== null && amount !== null ? vatOf(amount, vatRate) : null;
  const setAmount = (cents: Cents) =>
    setValue('amount', formatAmount(cents), { shouldValidate: true, shouldTouch: true, shouldDirty: true });
  // V-14: by one cent, within the bounds.
  const step = (direction: 1 | -1) => {
    const next = (amount ?? 0n) + BigInt(direction);
    setAmount(next < rules.smallest ? rules.smallest : next > available ? available : next);
  };
  const [said, setSaid] = useState('');
  const detailError = (field: string) => errors.payment_details?.[field]?.message;
  const submit = handleSubmit((input) =>
    onSubmit({
      input,
      key: idempotencyKey,
      onRefused: (refused) => {
        // An earlier answer was lost and the request made: what is sent next, having seen the list, is another one.
        if (refused instanceof ApiError && refused.code === 'idempotency_key_reused') setIdempotencyKey(randomKey());
        setServerIssues(refused, fields, setError);
      },
    }),
  );
  return (
    <form method="post" id={id} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      {error && <Notice tone="error">{paymentRequestFailed(reasonOf(error))}</Notice>}
      <Field
        label={t('Montant')}
        // The error says the same bounds: it takes the hint's place, and nothing moves under the finger.
        hint={
          errors.amount
            ? undefined
            : t('De {{smallest}} à {{available}}', {
                smallest: plainEuros(rules.smallest),
                available: formatEuros(available),
              })
        }
        error={errors.amount?.message}
      >
        <div className="flex gap-2">
          <div className="min-w-0 flex-1">
            <AmountInput
              range={{
                min: toWire(rules.smallest),
                max: toWire(available),
                now: amount === null ? undefined : toWire(amount),
                onStep: step,
              }}
              {...register('amount')}
            />
          </div>
          <Button
            className="h-11"
            onClick={() => {
              setAmount(available);
              setSaid(t('Montant demandé : {{amount}}', { amount: formatEuros(available) }));
            }}
          >
            {t('Tout demander')}
          </Button>
          <p role="status" className="sr-only">
            {said}
          </p>
        </div>
      </Field>
      <RadioGroup<PaymentMethod>
        legend={t('Mode de paiement')}
        columns={2}
        options={rules.methods.map((value) => ({ value, label: t(paymentMethodLabels[value]), icon: icons[value] }))}
        error={errors.payment_method?.message}
        {...register('payment_method')}
      />
      {method === 'virement' && (
        <>
          <IbanField control={control} name="payment_details.iban" error={detailError('iban')} known={known.iban} />
          {typeof iban === 'string' && isOutsideEea(iban) && (
            <AbroadFields
              control={control}
              register={register}
              nameOf={(field) => `payment_details.${field}` as const}
              errorOf={detailError}
            />
          )}
          <Field label={t('Nom du bénéficiaire')} error={detailError('beneficiary_name')}>
            <TextInput autoComplete="name" {...register('payment_details.beneficiary_name')} />
          </Field>
        </>
      )}
      {method === 'cheque_cadeau' && (
        <Field
          label={t('Type de chèque cadeau')}
          hint={t('L’enseigne ou la carte que vous souhaitez.')}
          error={detailError('gift_card_type')}
        >
          <TextInput autoComplete="off" {...register('payment_details.gift_card_type')} />
        </Field>
      )}
      {method === 'association' && (
        <>
          <Field label={t('Nom de l’association')} error={detailError('association_name')}>
            <TextInput autoComplete="off" {...register('payment_details.association_name')} />
          </Field>
          <Field
            label={t('Coordonnées de l’association')}
            hint={t('Adresse, site ou IBAN : de quoi la reconnaître.')}
            error={detailError('association_details')}
          >
            <Textarea rows={3} {...register('payment_details.association_details')} />
          </Field>
        </>
      )}
      {method === 'remise_societe' && (
        <Field
          label={t('Compte société')}
          optional
          hint={t('Le compte client sur lequel porter la remise.')}
          error={detailError('company_account')}
        >
          <TextInput autoComplete="off" {...register('payment_details.company_account')} />
        </Field>
      )}
      {amount !== null && amount > 0n && amount <= available && (
        <Consequence amount={amount} remaining={available - amount} method={method} vat={vat} />
      )}
    </form>
  );
}

/** Details of each means in the newest requests, and the account, masked, that a transfer without an IBAN goes to. */
function knownDetails(earlier: readonly PaymentRequest[]): { iban?: string; details: Record<string, string> } {
  let iban: string | undefined;
  const details: Record<string, string> = {};
  for (const { id, paymentDetails } of remembered(earlier).values()) {
    if (paymentDetails.method === 'virement') {
      ({ iban } = paymentDetails);
      details['same_as'] = id;
      details['beneficiary_name'] = paymentDetails.beneficiaryName;
    } else
      for (const [field, value] of Object.entries(paymentDetailsToWire(paymentDetails))) details[field] = value ?? '';
  }
  return { ...(iban !== undefined && { iban }), details };
}

/** PP-02: what is paid beside a transfer to somebody who charges VAT and lets the company write their invoices; null for others. */
function useVatRate(): BasisPoints | null {
  const payee = useQuery(payeeQuery(useProfile().id)).data;
  const [today] = useState(() => dayOf(new Date()));
  const isCharged = payee?.mandate?.isInForce === true && isVatAccepted(payee.details);
  return isCharged ? vatRateOn(today) : null;
}

interface ConsequenceProps {
  amount: Cents;
  remaining: Cents;
  method: PaymentMethod;
  vat: Vat | null;
}

/** The effect of the button in euros, before it is pressed. */
function Consequence({ amount, remaining, method, vat }: ConsequenceProps) {
  const { t } = useTranslation();
  return (
    <dl className="grid gap-1.5 rounded-card border border-hairline bg-papier px-4 py-3">
      <div className="flex items-baseline justify-between gap-4">
        <dt className="text-encre-soft">{t(paymentMethodLabels[method])}</dt>
        <dd className="font-medium">
          <Amount cents={amount} />
        </dd>
      </div>
      {vat !== null && (
        <>
          <div className="flex items-baseline justify-between gap-4">
            <dt className="text-encre-soft">{t('TVA {{rate}}', { rate: formatPercent(vat.rate) })}</dt>
            <dd className="font-medium">
              <Amount cents={vat.amount} />
            </dd>
          </div>
          <div className="flex items-baseline justify-between gap-4">
            <dt className="text-encre-soft">{t('Vous recevrez')}</dt>
            <dd className="font-medium">
              <Amount cents={withVat({ amount, vat })} />
            </dd>
          </div>
        </>
      )}
      <div className="flex items-baseline justify-between gap-4">
        <dt className="text-encre-soft">{t('Il vous restera')}</dt>
        <dd className="font-medium">
          <Amount cents={remaining} />
        </dd>
      </div>
    </dl>
  );
}

type Fields = z.input<ReturnType<typeof paymentRequestForm>>;

/** The errors of the fields that hold something typed: who only passed through a field has made no mistake. */
function onlyTyped(
  { amount, payment_details: details = {} }: FieldErrors<Fields>,
  dirty: Partial<FieldNamesMarkedBoolean<Fields>>,
): FieldErrors<Fields> {
  const given: unknown = dirty.payment_details;
  const isTyped = (name: string) => typeof given === 'object' && given !== null && name in given;
  const typed = Object.entries(details).filter(([name]) => isTyped(name));
  return {
    ...(amount && dirty.amount === true && { amount }),
    ...(typed.length > 0 && { payment_details: Object.fromEntries(typed) }),
  };
}

const fields = [
  'amount',
  'payment_method',
  'payment_details.iban',
  'payment_details.bic',
  'payment_details.street',
  'payment_details.postal_code',
  'payment_details.city',
  'payment_details.country',
  'payment_details.beneficiary_name',
  'payment_details.gift_card_type',
  'payment_details.association_name',
  'payment_details.association_details',
  'payment_details.company_account',
] as const;

function methodOf(value: unknown): PaymentMethod {
  return paymentMethods.find((method) => method === value) ?? paymentMethodDefault;
}

const icons: Readonly<Record<PaymentMethod, ReactNode>> = {
  virement: <Landmark aria-hidden />,
  cheque_cadeau: <Gift aria-hidden />,
  association: <HeartHandshake aria-hidden />,
  remise_societe: <Store aria-hidden />,
};
