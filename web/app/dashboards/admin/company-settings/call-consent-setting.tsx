import { settingsSaved } from '@parrain/domain/messages';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { updateCallConsent } from '#api/company/update-call-consent';
import { Checkbox } from '#ui/checkbox';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** CS-03: whether only friends who agreed are called; in force as soon as it is ticked. */
export function CallConsentSetting({ isRequired }: { isRequired: boolean }) {
  const { t } = useTranslation();
  const toast = useToast();
  // Ticked at once, and unticked again where the server refuses.
  const [asked, setAsked] = useState<boolean>();
  const change = useMutation({
    mutationFn: updateCallConsent,
    onSuccess: () => toast.success(t(settingsSaved)),
    onError: () => setAsked(undefined),
  });
  return (
    <fieldset className="flex flex-col gap-3 border-t border-hairline pt-5">
      <legend className="sr-only">{t('Appels')}</legend>
      {change.isError && (
        <Notice tone="error">{messageOf(change.error, t('Le réglage n’a pas pu être enregistré.'))}</Notice>
      )}
      <Checkbox
        label={t('N’appeler que les amis qui l’ont accepté')}
        description={t(
          'À cocher si vos clients recommandent des particuliers : depuis le 11 août 2026, la loi demande leur accord. Entre professionnels, il n’est pas demandé. Sans réponse, le commercial n’appelle pas et écrit une seule fois. Un refus est toujours respecté.',
        )}
        checked={asked ?? isRequired}
        aria-busy={change.isPending}
        onChange={(event) => {
          if (change.isPending) return;
          setAsked(event.target.checked);
          change.mutate(event.target.checked);
        }}
      />
    </fieldset>
  );
}
