import { zodResolver } from '@hookform/resolvers/zod';
import { webhookForm } from '@parrain/domain/forms/webhook';
import {
  webhookEventLabels,
  webhookEvents,
  webhookSaved,
  webhookTopicLabels,
  webhookTopics,
  type WebhookTopic,
} from '@parrain/domain/webhook';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { signInAgain } from '#api/account/sign-in-again';
import { addWebhook, updateWebhook, type Webhook, type WebhookChoice } from '#api/company/webhooks';
import { ApiError, messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { useEdit } from '#api/transport/use-edit';
import { Checkbox } from '#ui/checkbox';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { TextInput } from '#ui/text-input';
import { useToast } from '#ui/toast';
import { PasswordAgain } from '../parts/password-again.tsx';
import WebhookSecret from './webhook-secret.tsx';

const topics = Object.keys(webhookTopics) as WebhookTopic[];

/**
 * WH-02: a webhook, new or as it is; a new one then shows its secret, once. The password is asked where the session is older than
 * ten minutes.
 */
export default function WebhookDialog({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const [password, setPassword] = useState('');
  const [opened] = useState({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    events: [...(webhook?.events ?? webhookEvents)],
  });
  const form = useForm({ resolver: zodResolver(webhookForm), mode: 'onTouched', defaultValues: opened });
  const { register, handleSubmit, formState } = form;
  const edit = useEdit(form, opened);
  const { errors } = formState;
  const save = useMutation({
    mutationFn: async (chosen: WebhookChoice): Promise<{ secret: string | null }> => {
      // A second step comes first: its page takes over, and this begins again with a session that is young enough.
      if (password !== '' && (await signInAgain(profile.email, password)).status !== 'signed-in')
        return { secret: null };
      if (webhook === null) return { secret: await addWebhook(chosen) };
      await updateWebhook(webhook.id, edit.changes());
      toast.success(t(webhookSaved));
      onClose();
      return { secret: null };
    },
    onError: edit.showChanged,
  });
  const isRefusedAsOld = save.error instanceof ApiError && save.error.code === 'reauthentication_required';
  const secret = save.data?.secret ?? null;
  if (secret !== null) return <WebhookSecret secret={secret} onClose={onClose} />;
  return (
    <FormDialog
      title={webhook === null ? t('Ajouter un webhook') : t('Modifier le webhook')}
      description={t(
        'Chaque étape choisie est envoyée à cette adresse, signée, et renvoyée pendant 24 heures si elle ne répond pas.',
      )}
      onClose={onClose}
      action={webhook === null ? t('Ajouter') : t('Enregistrer')}
      pending={save.isPending}
      onSubmit={handleSubmit((chosen) => save.mutate(chosen))}
      failure={
        save.isError && !isRefusedAsOld ? messageOf(save.error, t('Le webhook n’a pas pu être enregistré.')) : undefined
      }
    >
      <Field
        label={t('Adresse')}
        hint={t('Celle que l’autre logiciel donne pour recevoir des événements.')}
        error={errors.url?.message}
      >
        <TextInput type="url" inputMode="url" autoComplete="off" placeholder="https://" {...register('url')} />
      </Field>
      <Field
        label={t('Nom')}
        optional
        hint={t('Le logiciel prévenu, comme vous l’appelez.')}
        error={errors.description?.message}
      >
        <TextInput autoComplete="off" {...register('description')} />
      </Field>
      {topics.map((topic) => (
        <fieldset key={topic}>
          <legend className="mb-1.5 text-sm font-medium">{t(webhookTopicLabels[topic])}</legend>
          <div className="grid gap-2 sm:grid-cols-2">
            {webhookTopics[topic].map((event) => (
              <Checkbox
                key={event}
                label={t(webhookEventLabels[event])}
                value={event}
                className="py-2"
                {...register('events')}
              />
            ))}
          </div>
        </fieldset>
      ))}
      {errors.events?.message !== undefined && (
        <p role="alert" className="text-sm text-red">
          {errors.events.message}
        </p>
      )}
      {(isRefusedAsOld || password !== '') && <PasswordAgain value={password} onChange={setPassword} />}
    </FormDialog>
  );
}
