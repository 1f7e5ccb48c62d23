import { importKeptLabels, type ImportKind } from '@parrain/domain/forms/import';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pastImportsQuery, undoImport, type PastImport } from '#api/people/imports';
import { reasonOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { DateText } from '#ui/date';
import { useToast } from '#ui/toast';
import { countText } from '../count-text.ts';
import { importWords } from './import-words.ts';

export interface PastImportsProps {
  kind: ImportKind;
  /** True when the imports of several people are shown. */
  isNamed: boolean;
  onUndone?: ((id: string) => void) | undefined;
}

/** The latest imports: what became of each, and its undoing. */
export function PastImports({ kind, isNamed, onUndone }: PastImportsProps) {
  const { t } = useTranslation();
  const { one, many, undoing, remove } = importWords[kind];
  const toast = useToast();
  const { data } = useQuery(pastImportsQuery(kind));
  const [asked, setAsked] = useState<PastImport>();
  const undo = useMutation({
    mutationFn: (id: string) => undoImport(id),
    onSuccess: ({ removed, kept }, id) => {
      toast.success(t('{{what}} en moins', { what: countText(removed, t(one), t(many)) }), {
        description: kept === 0 ? undefined : t('Restent là : {{count}}', { count: kept }),
      });
      setAsked(undefined);
      onUndone?.(id);
    },
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <section aria-labelledby="past-imports">
      <h3 id="past-imports" className="font-semibold">
        {t('Derniers imports')}
      </h3>
      <ul className="mt-2 divide-y divide-hairline rounded-field border border-hairline px-4">
        {data.map((past) => (
          <li
            key={past.id}
            className="flex items-center justify-between gap-x-4 gap-y-2 py-3 max-sm:flex-col max-sm:items-stretch"
          >
            <span className="min-w-0 break-words">
              <span className="font-medium">{past.fileName}</span>
              <span className="block text-sm text-encre-soft">
                <DateText value={past.writtenAt} withTime />
                {isNamed && ` · ${past.madeByName}`}
                {' · '}
                {countText(past.written, t(one), t(many))}
              </span>
              <Fate kind={kind} past={past} />
            </span>
            {past.here > 0 && (
              <Button
                size="sm"
                aria-label={t('Annuler l’import {{file}}', { file: past.fileName })}
                onClick={() => setAsked(past)}
              >
                {t('Annuler l’import')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {asked && (
        <ConfirmDialog
          open
          onOpenChange={() => {
            setAsked(undefined);
            undo.reset();
          }}
          title={t('Annuler l’import {{file}} ?', { file: asked.fileName })}
          description={t(undoing)}
          confirmLabel={t(remove)}
          cancelLabel={t('Garder')}
          pending={undo.isPending}
          error={undo.isError ? reasonOf(undo.error) : undefined}
          onConfirm={() => undo.mutate(asked.id)}
        />
      )}
    </section>
  );
}

/** Outcome of the invitations, or of the undoing. */
function Fate({ kind, past }: { kind: ImportKind; past: PastImport }) {
  const { t } = useTranslation();
  const { invitationsDue: due, invitationsSent: sent, undoneAt, here, kept } = past;
  const lines: string[] = [];
  if (undoneAt === null && due + sent > 0) {
    lines.push(
      due === 0
        ? t('{{count}} envoyées', { count: countText(sent, t('invitation'), t('invitations')) })
        : t('{{sent}} sur {{all}}', {
            sent: countText(sent, t('invitation envoyée'), t('invitations envoyées')),
            all: due + sent,
          }),
    );
  }
  if (undoneAt !== null) {
    const why = Object.entries(kept).map(
      ([reason, count]) => `${t(importKeptLabels[kind][reason] ?? reason)} (${count})`,
    );
    lines.push(here === 0 ? t('Annulé') : t('Annulé, sauf {{why}}', { why: why.join(', ') }));
  }
  return lines.map((line) => (
    <span key={line} className="block text-sm text-encre-soft">
      {line}
    </span>
  ));
}
