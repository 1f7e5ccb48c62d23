import type { LegalNotice } from '@parrain/domain/legal-notice';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { companySettings, defaultCompanyName } from '#api/company/company-settings';
import { legalNoticeQuery } from '#api/company/legal-notice';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { PublisherFields } from '../../reglages/publisher-fields.tsx';
import { useNoticeForm } from '../../reglages/use-notice-form.ts';
import type { StepProps } from './first-run.tsx';

/** The legal notice (DF-47), without the audit that nobody has on the first day. */
export function LegalStep(props: StepProps) {
  const { data: notice } = useQuery(legalNoticeQuery);
  const { data: settings } = useQuery(companySettings);
  if (notice === undefined || settings === undefined) return <Skeleton className="h-72 w-full" />;
  return <LegalForm {...props} notice={notice} companyName={settings.companyName} />;
}

interface LegalFormProps extends StepProps {
  notice: LegalNotice | null;
  companyName: string;
}

function LegalForm({ notice, companyName, foot, onDone }: LegalFormProps) {
  const { t } = useTranslation();
  const me = useProfile();
  const { form, change } = useNoticeForm(notice, onDone, {
    publisher: companyName === defaultCompanyName ? '' : companyName,
    director: me.fullName,
    email: me.email,
  });
  return (
    <form
      method="post"
      noValidate
      onSubmit={(event) => void form.handleSubmit(() => change.mutate())(event)}
      className="flex flex-col gap-5"
    >
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <PublisherFields form={form} />
      {foot(
        <Button type="submit" variant="primary" pending={change.isPending}>
          {t('Enregistrer et terminer')}
        </Button>,
      )}
    </form>
  );
}
