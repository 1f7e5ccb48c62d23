import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import type { FieldValues, UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { editCompanySettings, type EditedSettings } from '#api/company/edit-company-settings';
import { useEdit } from '#api/transport/use-edit';
import { useToast } from '#ui/toast';

/** The save of a setting's form: its changes alone, and a word once they are kept (DF-34). */
export function useSetting<Values extends FieldValues>(
  form: Pick<UseFormReturn<Values>, 'getValues' | 'setError'>,
  opened: Values,
  action: EditedSettings,
) {
  const { t } = useTranslation();
  const toast = useToast();
  const edit = useEdit(form, opened);
  return useMutation({
    mutationFn: () => editCompanySettings(action, edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(settingsSaved));
    },
    onError: edit.showChanged,
  });
}
