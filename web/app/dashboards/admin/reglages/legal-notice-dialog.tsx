import type { LegalNotice } from '@parrain/domain/legal-notice';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { legalNoticeQuery } from '#api/company/legal-notice';
import { messageOf } from '#api/transport/api-error';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { FormDialog } from '#ui/form-dialog';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { Textarea } from '#ui/textarea';
import { FieldGroup, PublisherFields } from './publisher-fields.tsx';
import { useNoticeForm } from './use-notice-form.ts';

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
  const { form, change } = useNoticeForm(notice, onClose);
  const { register, formState } = form;
  const { errors } = formState;
  return (
    <FormDialog
      title={t('Mentions légales')}
      description={t('Les pages publiques les montrent : Mentions légales, Contact et Accessibilité.')}
      onClose={onClose}
      pending={change.isPending}
      onSubmit={form.handleSubmit(() => change.mutate())}
      failure={change.isError ? messageOf(change.error, t('Le réglage n’a pas pu être enregistré.')) : undefined}
    >
      <PublisherFields form={form} />
      <FieldGroup
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
      </FieldGroup>
    </FormDialog>
  );
}
