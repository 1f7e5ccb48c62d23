import { cleaningFailed } from '@parrain/domain/messages';
import { groupThousands } from '@parrain/domain/money';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/api-error';
import { cleanDatabase } from '#api/clean-database';
import { companySettings, defaultCompanyName } from '#api/company-settings';
import { testDataCountsQuery, type TestDataCounts } from '#api/test-data-counts';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { rememberCleaning } from './use-cleaning-notice.ts';

/** AD-02, P-05: names what will be deleted, with counts, asks for the company's name, and reloads the page after it. */
export default function CleanDatabaseDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState('');
  const counts = useQuery(testDataCountsQuery);
  const { data: company } = useQuery(companySettings);
  const companyName = company?.companyName ?? defaultCompanyName;
  const cleaning = useMutation({
    mutationFn: cleanDatabase,
    onSuccess: () => {
      rememberCleaning();
      window.location.reload();
    },
  });
  const nothing = counts.data !== undefined && Object.values(counts.data).every((count) => count === 0);
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Supprimer toutes les données de test ?')}
      description={t(
        'Seules les données créées pour la démonstration ou par un compte de test sont supprimées, définitivement. Les comptes administrateurs restent.',
      )}
      confirmLabel={t('Supprimer les données de test')}
      pending={cleaning.isPending || cleaning.isSuccess}
      confirmDisabled={counts.data === undefined || nothing || folded(typed) !== folded(companyName)}
      error={cleaning.isError ? cleaningFailed(reasonOf(cleaning.error)) : undefined}
      onConfirm={() => cleaning.mutate()}
    >
      {counts.isError && counts.data === undefined ? (
        <ErrorState onRetry={() => void counts.refetch()} pending={counts.isFetching} />
      ) : (
        <div className="rounded-field border border-hairline bg-papier px-4 py-1">
          <Facts
            items={countLines.map(([key, label]) => ({
              label: t(label),
              value: counts.data ? (
                <span className="figures">{groupThousands(String(counts.data[key]))}</span>
              ) : (
                <Skeleton className="h-4 w-8" />
              ),
            }))}
          />
        </div>
      )}
      {nothing ? (
        <p className="text-encre-soft">{t("Il n'y a aucune donnée de test à supprimer.")}</p>
      ) : (
        <Field label={t('Pour confirmer, saisissez « {{name}} »', { name: companyName })}>
          <TextInput
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        </Field>
      )}
    </ConfirmDialog>
  );
}

function folded(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLocaleLowerCase('fr-FR');
}

const countLines: readonly (readonly [keyof TestDataCounts, string])[] = [
  ['sales', 'Ventes et parrainages'],
  ['commissionPayments', 'Commissions'],
  ['paymentRequests', 'Demandes de paiement'],
  ['commissionRates', 'Barèmes'],
  ['clients', 'Clients'],
  ['commercials', 'Commerciaux'],
];
