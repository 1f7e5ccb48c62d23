import { holdSentence, testDataKinds, testDataLabels } from '@parrain/domain/cleaning';
import { cleaningFailed } from '@parrain/domain/messages';
import { groupThousands } from '@parrain/domain/money';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { reasonOf } from '#api/transport/api-error';
import { cleanDatabase, cleaningPreviewQuery } from '#api/company/clean-database';
import { useProfile } from '#api/transport/session';
import { signInAgain } from '#api/account/sign-in-again';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { TextInput } from '#ui/text-input';
import { PasswordAgain } from '../parts/password-again.tsx';
import { useCompanyName } from '../../parts/use-company-name.ts';
import { rememberCleaning } from './use-cleaning-notice.ts';

/**
 * AD-02, P-05, FX-67: says what would be deleted and what holds it, asks for the company's name, and for the password where the
 * session is older than ten minutes; reloads the page after it.
 */
export default function CleanDatabaseDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const profile = useProfile();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const preview = useQuery(cleaningPreviewQuery);
  const companyName = useCompanyName();
  const found = preview.data;
  const mustSignIn = found?.reauthenticationRequired === true;
  const cleaning = useMutation({
    mutationFn: async () => {
      if (mustSignIn) {
        const session = await signInAgain(profile.email, password);
        // A second step comes first: its page takes over, and this begins again with a session that is young enough.
        if (session.status !== 'signed-in') return false;
      }
      await cleanDatabase(typed);
      return true;
    },
    onSuccess: (isDone) => {
      if (!isDone) return;
      rememberCleaning();
      window.location.reload();
    },
    // The refusal may come from what changed meanwhile: the session grew old, or something holds now.
    onError: () => void preview.refetch(),
  });
  const nothing = found !== undefined && testDataKinds.every((kind) => found.wouldDelete[kind] === 0);
  const isHeld = found !== undefined && found.heldBy.length > 0;
  const isConfirmed =
    companyName !== undefined && folded(typed) === folded(companyName) && (!mustSignIn || password !== '');
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Supprimer toutes les données de test ?')}
      description={t(
        'Seules les données créées pour la démonstration ou par un compte de test sont supprimées, définitivement. Les comptes administrateurs restent ; celui de la démonstration choisit aussitôt un nouveau mot de passe. Ensuite, tout ce qui est créé est réel.',
      )}
      confirmLabel={t('Supprimer les données de test')}
      pending={cleaning.isPending || cleaning.data === true}
      confirmDisabled={found === undefined || nothing || isHeld || !isConfirmed}
      error={cleaning.isError ? cleaningFailed(reasonOf(cleaning.error)) : undefined}
      onConfirm={() => cleaning.mutate()}
    >
      {preview.isError && found === undefined ? (
        <ErrorState onRetry={() => void preview.refetch()} pending={preview.isFetching} />
      ) : (
        <div className="rounded-field border border-hairline bg-papier px-4 py-1">
          <Facts
            items={testDataKinds.map((kind) => ({
              label: t(testDataLabels[kind]),
              value: found ? (
                <span className="tabular-digits">{groupThousands(String(found.wouldDelete[kind]))}</span>
              ) : (
                <Skeleton className="h-4 w-8" />
              ),
            }))}
          />
        </div>
      )}
      {nothing && <p className="text-encre-soft">{t('Il n’y a aucune donnée de test à supprimer.')}</p>}
      {isHeld && (
        <Notice
          tone="warning"
          title={t('Des données réelles tiennent à des données de test : rien ne peut être supprimé.')}
        >
          <ul className="list-disc pl-4">
            {found.heldBy.map((hold) => (
              <li key={hold.kind} className="break-words">
                {holdSentence(hold)}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {!nothing && !isHeld && (
        <>
          <Field label={t('Pour confirmer, saisissez « {{name}} »', { name: companyName ?? '…' })}>
            <TextInput
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </Field>
          {mustSignIn && <PasswordAgain value={password} onChange={setPassword} />}
        </>
      )}
    </ConfirmDialog>
  );
}

function folded(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLocaleLowerCase('fr-FR');
}
