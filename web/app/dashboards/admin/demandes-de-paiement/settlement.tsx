import { zodResolver } from '@hookform/resolvers/zod';
import { optionalLine } from '@parrain/domain/forms/fields';
import { settlementReferenceLengthMax } from '@parrain/domain/forms/limits';
import { associationNumber } from '@parrain/domain/forms/payment-decision';
import { settlementCompleted } from '@parrain/domain/payment-messages';
import type { PaymentRequest } from '@parrain/domain/payment-request';
import { useMutation } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { completeSettlement } from '#api/payments/complete-settlement';
import { reasonOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

const form = z.object({
  reference: optionalLine(settlementReferenceLengthMax),
  name: optionalLine(),
  number: associationNumber,
});

/** DF-02: what was not known when a request was paid, added once it is; nothing where all is known. */
export function SettlementPart({ request }: { request: PaymentRequest }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { reference, association } = request.settlement;
  const lacksNumber = request.paymentMethod === 'association' && (association === null || association.number === null);
  const named = request.paymentDetails.method === 'association' ? request.paymentDetails.associationName : '';
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(form),
    mode: 'onTouched',
    defaultValues: { reference: '', name: association?.name ?? named, number: '' },
  });
  const { errors } = formState;
  const add = useMutation({
    mutationFn: (said: z.output<typeof form>) =>
      completeSettlement(request.id, {
        reference: said.reference,
        association: lacksNumber && said.name !== null ? { name: said.name, number: said.number } : null,
      }),
    onSuccess: () => toast.success(t(settlementCompleted)),
  });
  if (reference !== null && !lacksNumber) return null;
  return (
    <section>
      <h3 className="mb-3 text-lg">{t('Référence du paiement')}</h3>
      <form
        method="post"
        noValidate
        className="grid gap-4"
        onSubmit={(event) => void handleSubmit((said) => add.mutate(said))(event)}
      >
        {reference === null && (
          <Field label={t('Référence')} optional error={errors.reference?.message}>
            <TextInput autoComplete="off" {...register('reference')} />
          </Field>
        )}
        {lacksNumber && (
          <>
            {association === null && (
              <Field label={t('Association')} optional error={errors.name?.message}>
                <TextInput autoComplete="off" {...register('name')} />
              </Field>
            )}
            <Field label={t('RNA ou SIREN')} optional error={errors.number?.message}>
              <TextInput autoComplete="off" {...register('number')} />
            </Field>
          </>
        )}
        {add.isError && <Notice tone="error">{reasonOf(add.error)}</Notice>}
        <Button type="submit" size="sm" className="justify-self-start" pending={add.isPending}>
          {t('Ajouter')}
        </Button>
      </form>
    </section>
  );
}
