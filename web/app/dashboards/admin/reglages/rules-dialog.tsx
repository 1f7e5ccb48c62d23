import { zodResolver } from '@hookform/resolvers/zod';
import {
  rulesDraftForm,
  rulesDraftSaved,
  rulesLengthMax,
  rulesPublished,
  rulesRequired,
} from '@parrain/domain/forms/programme-rules';
import { requiredText } from '@parrain/domain/forms/fields';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import {
  acceptedRulesExport,
  publishRules,
  rulesAcceptancesQuery,
  rulesStateQuery,
  saveRulesDraft,
  type RulesState,
} from '#api/company/programme-rules';
import { messageOf } from '#api/transport/api-error';
import { useEdit } from '#api/transport/use-edit';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { SearchInput } from '#ui/search-input';
import { Skeleton } from '#ui/skeleton';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';

/** CS-05: the draft of the programme's rules, its publication, every version, and who accepted which. */
export default function RulesDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const state = useQuery(rulesStateQuery);
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('Règles du programme')}
      description={t('Une version publiée ne change plus : chaque client l’accepte, et la preuve est gardée.')}
      size="lg"
    >
      {state.data ? (
        <div className="flex flex-col gap-7">
          <RulesEditor state={state.data} />
          {state.data.versions.length > 0 && (
            <>
              <Versions state={state.data} />
              <Acceptances />
            </>
          )}
        </div>
      ) : state.isError ? (
        <ErrorState onRetry={() => void state.refetch()} pending={state.isFetching} />
      ) : (
        <Skeleton className="h-80 w-full" />
      )}
    </Dialog>
  );
}

const publicationForm = z.object({ body: requiredText(rulesRequired, rulesLengthMax) });

function RulesEditor({ state }: { state: RulesState }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [toPublish, setToPublish] = useState<string>();
  const version = state.versions[0]?.version ?? 0;
  const [opened] = useState({ body: state.draft ?? state.versions[0]?.body ?? '' });
  const form = useForm({ resolver: zodResolver(rulesDraftForm), mode: 'onTouched', defaultValues: opened });
  const edit = useEdit(form, opened);
  const draft = useMutation({
    mutationFn: () => saveRulesDraft(edit.changes()),
    onSuccess: () => {
      edit.saved();
      toast.success(t(rulesDraftSaved));
    },
    onError: (error) => edit.showChanged(error),
  });
  const publication = useMutation({
    mutationFn: (body: string) => publishRules(body, version),
    onSuccess: () => {
      setToPublish(undefined);
      toast.success(t(rulesPublished));
    },
  });
  const publish = () => {
    const asked = publicationForm.safeParse({ body: form.getValues('body') });
    if (asked.success) setToPublish(asked.data.body);
    else form.setError('body', { message: asked.error.issues[0]?.message ?? rulesRequired });
  };
  return (
    <form
      method="post"
      noValidate
      aria-label={t('Texte des règles')}
      className="flex flex-col gap-4"
      onSubmit={(event) => void form.handleSubmit(() => draft.mutate())(event)}
    >
      {draft.isError && (
        <Notice tone="error">{messageOf(draft.error, t('Le brouillon n’a pas pu être enregistré. Réessayez.'))}</Notice>
      )}
      <Field
        label={t('Texte des règles')}
        hint={t('Qui peut parrainer, ce qu’une recommandation rapporte, quand elle est payée, ce qui est interdit.')}
        error={form.formState.errors.body?.message}
      >
        <Textarea rows={12} counterMax={rulesLengthMax} {...form.register('body')} />
      </Field>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" pending={draft.isPending}>
          {t('Enregistrer le brouillon')}
        </Button>
        <Button variant="primary" onClick={publish}>
          {t('Publier la version {{version}}', { version: version + 1 })}
        </Button>
      </div>
      {toPublish !== undefined && (
        <ConfirmDialog
          open
          onOpenChange={() => setToPublish(undefined)}
          title={t('Publier la version {{version}} ?', { version: version + 1 })}
          description={t(
            'Elle ne pourra plus être changée. Chaque client devra l’accepter à sa prochaine visite, et elle se lira sur la page publique.',
          )}
          confirmLabel={t('Publier')}
          tone="primary"
          pending={publication.isPending}
          error={
            publication.isError
              ? messageOf(publication.error, t('Les règles n’ont pas pu être publiées. Réessayez.'))
              : undefined
          }
          onConfirm={() => publication.mutate(toPublish)}
        />
      )}
    </form>
  );
}

function Versions({ state }: { state: RulesState }) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-3 text-lg">
        {t('Versions publiées')}
      </h3>
      <ul className="divide-y divide-hairline rounded-field border border-hairline">
        {state.versions.map(({ version, publishedAt, accepted }) => (
          <li key={version} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-3">
            <p>
              <span className="font-medium">{t('Version {{version}}', { version })}</span>
              <span className="block text-sm text-encre-soft">
                <DateText value={publishedAt} withTime />
                {' · '}
                {countText(accepted, t('client l’a acceptée'), t('clients l’ont acceptée'))}
              </span>
            </p>
            <a
              href={`/regles?version=${version}`}
              target="_blank"
              rel="noreferrer"
              aria-label={t('Lire la version {{version}}', { version })}
              className="text-sm font-medium text-sapin underline underline-offset-4"
            >
              {t('Lire')}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Acceptances() {
  const { t } = useTranslation();
  const id = useId();
  const [search, setSearch] = useState('');
  const { data } = useQuery(rulesAcceptancesQuery(useDeferredValue(search)));
  return (
    <section aria-labelledby={id}>
      <h3 id={id} className="mb-3 text-lg">
        {t('Qui a accepté')}
      </h3>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchInput
          label={t('Rechercher un client')}
          value={search}
          onValueChange={setSearch}
          size="sm"
          className="min-w-0 flex-1 basis-48"
        />
        <ExportMenu list="accepted-rules" page={acceptedRulesExport(search)} />
      </div>
      {data === undefined ? (
        <Skeleton className="h-32 w-full" />
      ) : (
        <ul className="divide-y divide-hairline rounded-field border border-hairline">
          {data.acceptances.map(({ clientId, name, version, acceptedAt }) => (
            <li key={clientId} className="flex flex-wrap items-baseline justify-between gap-x-4 px-4 py-2.5">
              <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
              <span className="text-sm text-encre-soft">
                {version === null || acceptedAt === null ? (
                  t('Aucune version acceptée')
                ) : (
                  <>
                    {t('Version {{version}}, le', { version })} <DateText value={acceptedAt} withTime />
                  </>
                )}
              </span>
            </li>
          ))}
          {data.acceptances.length === 0 && <li className="px-4 py-3 text-encre-soft">{t('Aucun client trouvé.')}</li>}
        </ul>
      )}
      {data !== undefined && data.acceptances.length < data.total && (
        <p className="mt-2 text-sm text-encre-soft">
          {t('Les {{count}} premiers sont affichés : cherchez un nom pour trouver les autres.', {
            count: data.acceptances.length,
          })}
        </p>
      )}
    </section>
  );
}
