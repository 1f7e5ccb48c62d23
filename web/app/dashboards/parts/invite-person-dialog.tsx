import { zodResolver } from '@hookform/resolvers/zod';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useForm, type DefaultValues, type FieldPath, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type * as z from 'zod/mini';
import { setServerIssues } from '#api/transport/form-issues';
import { refresh } from '#api/transport/refresh';
import { useDraft } from '#api/transport/use-draft';
import type { DialogProps } from '#ui/dialog';
import { EmailInput } from '#ui/email-input';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { PhoneField } from '#ui/phone-field';
import { TextInput } from '#ui/text-input';

/** The fields of every invitation. */
export interface PersonFields {
  name?: unknown;
  email?: unknown;
  phone?: unknown;
}

export interface InvitePersonDialogProps<
  Values extends PersonFields & object,
  Invitation,
  Outcome,
> extends InvitationFormProps<Values, Invitation> {
  open: boolean;
  onClose: () => void;
  title: string;
  description: string;
  /** The main button's label. */
  action: string;
  size?: DialogProps['size'];
  invite: (invitation: Invitation) => Promise<Outcome>;
  onInvited: (outcome: Outcome, invitation: Invitation) => void;
}

export interface InvitationFormProps<Values extends PersonFields & object, Invitation> {
  schema: z.core.$ZodType<Invitation, Values>;
  /** Every field of the form, empty. */
  empty: DefaultValues<Values> & Readonly<Record<string, unknown>>;
  /** Labels of the name and the address where they say more than « Nom » and « Email ». */
  labels?: { name: string; email: string } | undefined;
  phoneHint?: string | undefined;
  /** The notice of a failure, over the fields. */
  failure: (error: Error) => ReactNode;
  /** The fields of this invitation alone, under the common ones. */
  fields?: ((form: UseFormReturn<Values, unknown, Invitation>) => ReactNode) | undefined;
}

/** Invites a person (AD-04, CO-06, CL-03): name, address, telephone, and what the role adds. It stays open until it is known. */
export function InvitePersonDialog<Values extends PersonFields & object, Invitation, Outcome>({
  open,
  onClose,
  title,
  description,
  action,
  size,
  invite,
  onInvited,
  ...form
}: InvitePersonDialogProps<Values, Invitation, Outcome>) {
  const invitation = useMutation({
    mutationFn: invite,
    onSuccess: (outcome, invited) => {
      close();
      onInvited(outcome, invited);
    },
    onSettled: refresh,
  });
  const close = () => {
    invitation.reset();
    onClose();
  };
  return (
    <FormDialog
      open={open}
      size={size}
      title={title}
      description={description}
      onClose={close}
      action={action}
      pending={invitation.isPending}
    >
      {(formId) => (
        <InvitationForm
          {...form}
          id={formId}
          draft={title}
          error={invitation.error}
          onEdit={invitation.reset}
          onSubmit={(invited, onRefused) => invitation.mutate(invited, { onError: onRefused })}
        />
      )}
    </FormDialog>
  );
}

/** The fields of an invitation, whose button stands apart. A dialog forgets it when it closes: the next one starts empty. */
export function InvitationForm<Values extends PersonFields & object, Invitation>({
  id,
  draft,
  error,
  onEdit,
  onSubmit,
  schema,
  empty,
  labels,
  phoneHint,
  failure,
  fields,
}: InvitationFormProps<Values, Invitation> & {
  id: string;
  draft: string;
  error: Error | null;
  /** Ends a refusal: what was refused is being written anew. */
  onEdit: () => void;
  onSubmit: (invitation: Invitation, onRefused: (error: Error) => void) => void;
}) {
  const { t } = useTranslation();
  const form = useForm<Values, unknown, Invitation>({
    resolver: zodResolver(schema),
    mode: 'onTouched',
    defaultValues: empty,
  });
  useDraft(form, `invitation/${draft}`);
  const names = Object.keys(empty) as FieldPath<Values>[];
  const field = (name: keyof PersonFields) => {
    const path = name as FieldPath<Values>;
    return { error: form.getFieldState(path, form.formState).error?.message, control: form.register(path) };
  };
  const [name, email, phone] = [field('name'), field('email'), field('phone')];
  return (
    <form
      method="post"
      id={id}
      noValidate
      onSubmit={(event) =>
        void form.handleSubmit((invitation) =>
          onSubmit(invitation, (refused) => setServerIssues(refused, names, form.setError)),
        )(event)
      }
      onChange={() => error && onEdit()}
      className="flex flex-col gap-5"
    >
      {error && failure(error)}
      <Field label={labels?.name ?? t('Nom')} error={name.error}>
        <TextInput autoComplete="off" autoCapitalize="words" {...name.control} />
      </Field>
      <Field label={labels?.email ?? t('E-mail')} error={email.error}>
        <EmailInput autoComplete="off" {...email.control} />
      </Field>
      {'phone' in empty && (
        <PhoneField label={t('Téléphone')} hint={phoneHint} error={phone.error} {...phone.control} />
      )}
      {fields?.(form)}
    </form>
  );
}
