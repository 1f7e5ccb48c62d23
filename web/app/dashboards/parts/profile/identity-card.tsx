import { zodResolver } from '@hookform/resolvers/zod';
import { profileForm, type ProfileInput } from '@parrain/domain/forms/profile';
import { updateFailed } from '@parrain/domain/messages';
import { roleLabels } from '@parrain/domain/role';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ApiError } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { useEdit } from '#api/transport/use-edit';
import { updateOwnProfile } from '#api/account/update-own-profile';
import { Button } from '#ui/button';
import { Card, CardBody, CardHeader } from '#ui/card';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';

/** One's own name and phone; the role is the company's to change. */
export function IdentityCard() {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const [opened] = useState({ full_name: profile.fullName, phone: profile.phone ?? '' });
  const form = useForm({ resolver: zodResolver(profileForm), mode: 'onTouched', defaultValues: opened });
  const { register, handleSubmit, reset, formState } = form;
  const edit = useEdit(form, opened);
  const { errors, isDirty } = formState;
  const update = useMutation({
    mutationFn: (_input: ProfileInput) => updateOwnProfile(profile.id, edit.changes()),
    onError: (error) => edit.showChanged(error),
    onSuccess: (_answer, input) => {
      reset({ full_name: input.full_name, phone: input.phone ?? '' });
      edit.saved();
      toast.success(t('Profil enregistré'));
    },
  });
  return (
    <Card>
      <CardHeader title={t('Vos coordonnées')} level={4} />
      <CardBody>
        <form
          method="post"
          noValidate
          onSubmit={(event) => void handleSubmit((input) => update.mutate(input))(event)}
          className="flex flex-col gap-5"
        >
          {update.isError && <Notice tone="error">{refusal(update.error)}</Notice>}
          <Field label={t('Nom complet')} error={errors.full_name?.message}>
            <TextInput autoComplete="name" {...register('full_name')} />
          </Field>
          <PhoneField label={t('Téléphone')} error={errors.phone?.message} autoComplete="tel" {...register('phone')} />
          <Facts
            className="border-y border-hairline"
            items={[{ label: t('Rôle'), value: t(roleLabels[profile.role]) }]}
          />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" variant="primary" pending={update.isPending} disabled={!isDirty && !update.isPending}>
              {t('Enregistrer')}
            </Button>
            {isDirty && !update.isPending && (
              <Button variant="quiet" onClick={() => reset()}>
                {t('Annuler les changements')}
              </Button>
            )}
          </div>
        </form>
      </CardBody>
    </Card>
  );
}

/** The REST layer speaks to developers: of its refusals only the one that got no answer is for people. */
function refusal(error: Error): string {
  return error instanceof ApiError && (error.status === 0 || error.code === 'changed_meanwhile')
    ? error.message
    : updateFailed;
}
