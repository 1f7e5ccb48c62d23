import { zodResolver } from '@hookform/resolvers/zod';
import { legalNoticeForm } from '@parrain/domain/forms/legal-notice';
import type { LegalNotice } from '@parrain/domain/legal-notice';
import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { updateLegalNotice } from '#api/company/legal-notice';
import { useEdit } from '#api/transport/use-edit';
import { useToast } from '#ui/toast';

export type NoticeForm = ReturnType<typeof useNoticeForm>['form'];

/** The form of the legal notice and what saves it (DF-47). `guess` is what a first one begins with. */
export function useNoticeForm(
  notice: LegalNotice | null,
  onSaved: () => void,
  guess?: Partial<Pick<LegalNotice, 'publisher' | 'director' | 'email'>>,
) {
  const { t } = useTranslation();
  const toast = useToast();
  // As it was when the form opened (DF-34).
  const [isFirst] = useState(notice === null);
  const [opened] = useState(() => ({
    publisher: notice?.publisher ?? guess?.publisher ?? '',
    registration: notice?.registration ?? '',
    address: notice?.address ?? '',
    director: notice?.director ?? guess?.director ?? '',
    email: notice?.email ?? guess?.email ?? '',
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
  const change = useMutation({
    mutationFn: () => updateLegalNotice(edit.changes()),
    onSuccess: () => {
      onSaved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
  return { form, change };
}
