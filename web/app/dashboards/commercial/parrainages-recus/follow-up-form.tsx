import { zodResolver } from '@hookform/resolvers/zod';
import { followUpForm } from '@parrain/domain/forms/follow-up';
import { notesLengthMax } from '@parrain/domain/forms/limits';
import { isOpen } from '@parrain/domain/sale';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { keepFollowUp } from '#api/sales/follow-up';
import type { Referral } from '#api/sales/referral';
import { messageOf } from '#api/transport/api-error';
import { setServerIssues } from '#api/transport/form-issues';
import { useDraft } from '#api/transport/use-draft';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { CallBackField } from './call-back-field.tsx';

/** A day to call back and a note: the commercial's and the company's, never the referrer's. */
export function FollowUpForm({ referral }: { referral: Referral }) {
  const { t } = useTranslation();
  const toast = useToast();
  const { followUp } = referral;
  const [opened] = useState({
    sale_id: referral.id,
    private_note: followUp?.note ?? '',
    call_back_on: followUp?.callBackOn ?? '',
  });
  const form = useForm({ resolver: zodResolver(followUpForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  const noteSent = useDraft(form, `follow-up/${referral.id}`);
  const keep = useMutation({
    mutationFn: () => keepFollowUp(referral.id, edit.changes()),
    onSuccess: (message) => {
      toast.success(t(message));
      edit.saved();
    },
    onSettled: (_, error) => noteSent(error),
    onError: (error) =>
      edit.showChanged(error) || setServerIssues(error, ['private_note', 'call_back_on'], form.setError),
  });
  const { errors } = form.formState;
  return (
    <section className="border-t border-hairline pt-5">
      <h3 className="text-lg">{t('Votre suivi')}</h3>
      <p className="mt-0.5 text-sm text-encre-soft">
        {t('Pour vous et votre entreprise : le parrain ne lit ni la date ni la note privée.')}
      </p>
      <form
        method="post"
        noValidate
        className="mt-4 flex flex-col gap-5"
        onSubmit={(event) => void form.handleSubmit(() => keep.mutate())(event)}
      >
        {keep.isError && (
          <Notice tone="error">{messageOf(keep.error, t('Le suivi n’a pas pu être enregistré. Réessayez.'))}</Notice>
        )}
        {isOpen(referral) && (
          <CallBackField
            hint={t('Vous êtes prévenu ce matin-là, et le parrainage est dans « Aujourd’hui ».')}
            error={errors.call_back_on?.message}
            onPick={(day) => form.setValue('call_back_on', day, { shouldDirty: true })}
            {...form.register('call_back_on')}
          />
        )}
        <Field label={t('Note privée')} optional error={errors.private_note?.message}>
          <Textarea rows={4} counterMax={notesLengthMax} {...form.register('private_note')} />
        </Field>
        <Button type="submit" className="self-start" pending={keep.isPending}>
          {t('Enregistrer le suivi')}
        </Button>
      </form>
    </section>
  );
}
