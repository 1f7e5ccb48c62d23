import { settingsSaved } from '@parrain/domain/messages';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/api-error';
import { secondFactorsQuery } from '#api/second-factors';
import { updateCompanySecurity } from '#api/update-company-security';
import { Checkbox } from '#ui/checkbox';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** AU-17: whether every admin needs a second step; in force as soon as it is ticked. */
export function AdminSecurity({ isRequired }: { isRequired: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const factors = useQuery(secondFactorsQuery);
  const change = useMutation({
    mutationFn: updateCompanySecurity,
    onSuccess: () => toast.success(t(settingsSaved)),
  });
  const hasNone = factors.data?.length === 0;
  const checked = change.isPending ? change.variables : isRequired;
  return (
    <fieldset className="flex flex-col gap-3 border-t border-hairline pt-5">
      <legend className="sr-only">{t('Sécurité')}</legend>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Checkbox
        label={t('Exiger la double authentification des administrateurs')}
        description={
          hasNone && !isRequired
            ? t('Activez d’abord la vôtre, dans votre profil.')
            : t('Ceux qui ne l’ont pas devront l’activer avant de continuer.')
        }
        checked={checked}
        disabled={change.isPending || (hasNone && !isRequired) || factors.data === undefined}
        onChange={(event) => change.mutate(event.target.checked)}
      />
    </fieldset>
  );
}
