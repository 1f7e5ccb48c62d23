import { zodResolver } from '@hookform/resolvers/zod';
import { legalNoticeForm } from '@parrain/domain/forms/legal-notice';
import type { LegalNotice } from '@parrain/domain/legal-notice';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { legalNoticeQuery, updateLegalNotice } from '#api/company/legal-notice';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Dialog } from '#ui/dialog';
import { EmailInput } from '#ui/email-input';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';

interface LegalNoticeDialogProps {
  onClose: () => void;
}

/** DF-47, DF-86: the legal notice of the public pages, and what an audit of their accessibility found. */
export default function LegalNoticeDialog({ onClose }: LegalNoticeDialogProps) {
  const { t } = useTranslation();
  const notice = useQuery(legalNoticeQuery);
  if (notice.data !== undefined) return <NoticeForm notice={notice.data} onClose={onClose} />;
  return (
    <Dialog open onOpenChange={onClose} title={t('Mentions légales')}>
      {notice.isError ? (
        <ErrorState onRetry={() => void notice.refetch()} pending={notice.isFetching} />
      ) : (
        <Skeleton className="h-72 w-full" />
      )}
    </Dialog>
  );
}

function NoticeForm({ notice, onClose }: LegalNoticeDialogProps & { notice: LegalNotice | null }) {
  const { t } = useTranslation();
  const toast = useToast();
  // As it was when the dialog opened (DF-34).
  const [isFirst] = useState(notice === null);
  const [opened] = useState(() => ({
    publisher: notice?.publisher ?? '',
    registration: notice?.registration ?? '',
    address: notice?.address ?? '',
    director: notice?.director ?? '',
    email: notice?.email ?? '',
    phone: notice?.phone ?? '',
    host: notice?.host ?? '',
    host_address: notice?.host_address ?? '',
    host_phone: notice?.host_phone ?? '',
    audited_on: notice?.audited_on ?? '',
    audited_by: notice?.audited_by ?? '',
    audit_rate: notice?.audit_rate?.toString() ?? '',
    audit_gaps: notice?.audit_gaps ?? '',
  }));
  const form = useForm({ resolver: zodResolver(legalNoticeForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened, isFirst);
  const { register, formState } = form;
  const { errors } = formState;
  const change = useMutation({
    mutationFn: () => updateLegalNotice(edit.changes()),
    onSuccess: () => {
      onClose();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  return (
    <FormDialog
      title={t('Mentions légales')}
      description={t('Les pages publiques les montrent : Mentions légales, Contact et Accessibilité.')}
      onClose={onClose}
      pending={change.isPending}
      onSubmit={form.handleSubmit(() => change.mutate())}
      failure={change.isError ? messageOf(change.error, t('Le réglage n’a pas pu être enregistré.')) : undefined}
    >
      <Group title={t('Votre entreprise')}>
        <Field
          label={t('Nom légal, forme et capital')}
          hint={t('« Lumeo Habitat, SARL au capital de 20 000 € »')}
          error={errors.publisher?.message}
        >
          <TextInput autoComplete="organization" {...register('publisher')} />
        </Field>
        <Field
          label={t('Immatriculation')}
          optional
          hint={t('« RCS Rennes 732 829 320 »')}
          error={errors.registration?.message}
        >
          <TextInput autoComplete="off" {...register('registration')} />
        </Field>
        <Field
          label={t('Adresse du siège')}
          hint={t('« 12 rue des Lilas, 35000 Rennes »')}
          error={errors.address?.message}
        >
          <TextInput autoComplete="off" {...register('address')} />
        </Field>
        <Field
          label={t('Qui dirige la publication')}
          hint={t('Le plus souvent, votre représentant légal.')}
          error={errors.director?.message}
        >
          <TextInput autoComplete="off" {...register('director')} />
        </Field>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field label={t('E-mail de contact')} error={errors.email?.message}>
            <EmailInput {...register('email')} />
          </Field>
          <Field label={t('Téléphone')} error={errors.phone?.message}>
            <TextInput type="tel" autoComplete="off" {...register('phone')} />
          </Field>
        </div>
      </Group>
      <Group title={t('Votre hébergeur')}>
        <Field
          label={t('Nom de l’hébergeur')}
          hint={t('Qui fait tourner le serveur : un prestataire, ou vous-même.')}
          error={errors.host?.message}
        >
          <TextInput autoComplete="off" {...register('host')} />
        </Field>
        <div className="grid gap-5 sm:grid-cols-[1fr_12rem]">
          <Field label={t('Adresse de l’hébergeur')} error={errors.host_address?.message}>
            <TextInput autoComplete="off" {...register('host_address')} />
          </Field>
          <Field label={t('Téléphone de l’hébergeur')} error={errors.host_phone?.message}>
            <TextInput type="tel" autoComplete="off" {...register('host_phone')} />
          </Field>
        </div>
      </Group>
      <Group
        title={t('Audit d’accessibilité')}
        text={t('Sans audit, la loi veut que le site se dise « non conforme ». Laissez vide tant qu’il n’y en a pas.')}
      >
        <div className="grid gap-5 sm:grid-cols-[1fr_1fr]">
          <Field label={t('Jour de l’audit')} optional error={errors.audited_on?.message}>
            <TextInput type="date" {...register('audited_on')} />
          </Field>
          <Field label={t('Critères respectés, en %')} optional error={errors.audit_rate?.message}>
            <TextInput inputMode="numeric" autoComplete="off" className="tabular-digits" {...register('audit_rate')} />
          </Field>
        </div>
        <Field label={t('Qui a fait l’audit')} optional error={errors.audited_by?.message}>
          <TextInput autoComplete="off" {...register('audited_by')} />
        </Field>
        <Field label={t('Contenus non accessibles')} optional error={errors.audit_gaps?.message}>
          <Textarea rows={4} {...register('audit_gaps')} />
        </Field>
      </Group>
    </FormDialog>
  );
}

function Group({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-5 border-t border-hairline pt-5 first:border-0 first:pt-0">
      <legend className="contents">
        <span className="font-heading text-base font-semibold">{title}</span>
      </legend>
      {text && <p className="-mt-4 text-sm text-encre-soft">{text}</p>}
      {children}
    </fieldset>
  );
}
