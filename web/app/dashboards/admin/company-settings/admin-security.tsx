import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { secondFactorsQuery } from '#api/account/second-factors';
import { updateCompanySecurity } from '#api/company/update-company-security';
import { Checkbox } from '#ui/checkbox';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** AU-17: whether every admin needs a second step; in force as soon as it is ticked. */
export function AdminSecurity({ isRequired }: { isRequired: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  const factors = useQuery(secondFactorsQuery);
  // Ticked at once, and unticked again where the server refuses.
  const [asked, setAsked] = useState<boolean>();
  const change = useMutation({
    mutationFn: updateCompanySecurity,
    onSuccess: ({ message, waits }) => {
      toast.success(message);
      // What waits for another admin is not in force.
      if (waits === true) setAsked(undefined);
    },
    onError: () => setAsked(undefined),
  });
  const hasNone = factors.data?.every((factor) => factor.kind === 'recovery-codes') === true;
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
        checked={asked ?? isRequired}
        aria-busy={change.isPending}
        disabled={factors.data === undefined || (hasNone && !isRequired)}
        onChange={(event) => {
          if (change.isPending) return;
          setAsked(event.target.checked);
          change.mutate(event.target.checked);
        }}
      />
    </fieldset>
  );
}
