import { formatEuros, sum } from '@parrain/domain/money';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sendClientAssignment } from '#api/people/assign-client';
import type { ClientRow } from '#api/people/client-summaries';
import { namesQuery } from '#api/people/names';
import { oneByOne } from '#api/transport/one-by-one';
import { Amount } from '#ui/amount';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { BulkDialog } from '../parts/bulk-dialog.tsx';
import { CommercialPicker } from '../parts/commercial-picker.tsx';

export interface AssignClientsDialogProps {
  /** As they were seen when they were selected. */
  clients: readonly ClientRow[];
  onDone: (clients: readonly ClientRow[]) => void;
  onClose: () => void;
}

/** NV-04, NV-09: many clients go to one commercial, with their open referrals; for ten seconds they can all come back. */
export default function AssignClientsDialog({ clients, onDone, onClose }: AssignClientsDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [commercialId, setCommercialId] = useState<string | null>(null);
  const { data: names } = useQuery({ ...namesQuery([commercialId]), enabled: commercialId !== null });
  // Those who are theirs already stay.
  const leaving = clients.filter((client) => client.commercialId !== commercialId);
  const [moved] = useState(() => new Map<string, readonly string[]>());
  const count = countText(clients.length, t('client'), t('clients'));

  const takeBack = async (done: readonly ClientRow[], from: string) => {
    const outcomes = await oneByOne(
      // A client who had no commercial has nobody to go back to.
      done.filter((client) => client.commercialId !== null),
      (client) =>
        sendClientAssignment({
          clientId: client.id,
          commercialId: client.commercialId ?? '',
          seenCommercialId: from,
          onlySaleIds: moved.get(client.id),
        }),
      () => undefined,
    );
    const back = outcomes.filter(({ isDone }) => isDone).length;
    const left = done.length - back;
    const title = t('{{count}} de retour chez leur commercial', { count: countText(back, t('client'), t('clients')) });
    if (left === 0) toast.info(title);
    else toast.error(title, { description: t('Restés chez le nouveau : {{count}}', { count: left }) });
  };

  return (
    <BulkDialog<ClientRow, string>
      rows={leaving}
      title={t(
        clients.every((client) => client.commercialId === null)
          ? 'Confier {{count}} à un commercial'
          : 'Confier {{count}} à un autre commercial',
        { count },
      )}
      description={t('{{revenue}} de chiffre d’affaires généré. Leurs parrainages en cours les suivent.', {
        revenue: formatEuros(sum(clients.map(({ revenue }) => revenue))),
      })}
      tone="primary"
      confirmLabel={t('Confier {{count}}', { count: countText(leaving.length, t('client'), t('clients')) })}
      confirmDisabled={commercialId === null || leaving.length === 0}
      submit={(go) => commercialId !== null && leaving.length > 0 && go(commercialId)}
      act={async (client, to) => {
        const sales = await sendClientAssignment({
          clientId: client.id,
          commercialId: to,
          seenCommercialId: client.commercialId,
        });
        moved.set(client.id, sales);
      }}
      name={(client) => <span className="font-medium">{client.fullName}</span>}
      leftTitle={(left, all) => t('Laissés de côté : {{count}} sur {{total}}', { count: left, total: all })}
      onDone={(done) => {
        onDone(done);
        const followers = done.reduce((total, client) => total + (moved.get(client.id)?.length ?? 0), 0);
        const canReturn = commercialId !== null && done.every((client) => client.commercialId !== null);
        toast.success(
          t(done.length > 1 ? '{{count}} confiés à {{name}}' : '{{count}} confié à {{name}}', {
            count: countText(done.length, t('client'), t('clients')),
            name: names?.get(commercialId ?? '') ?? '—',
          }),
          {
            description:
              followers === 0
                ? undefined
                : t(followers > 1 ? '{{count}} les suivent' : '{{count}} suit', {
                    count: countText(followers, t('parrainage en cours'), t('parrainages en cours')),
                  }),
            ...(canReturn ? { action: { label: t('Annuler'), onClick: () => void takeBack(done, commercialId) } } : {}),
          },
        );
      }}
      onClose={onClose}
    >
      <Field label={t('Commercial')}>
        <CommercialPicker
          commercialId={commercialId}
          onChange={setCommercialId}
          activeOnly
          placeholder={t('Choisir un commercial…')}
        />
      </Field>
      {leaving.length < clients.length && (
        <Notice>
          {t('Déjà chez ce commercial, et laissés où ils sont : {{count}}', { count: clients.length - leaving.length })}
        </Notice>
      )}
      <ul
        aria-label={t('Clients sélectionnés')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keyboard
        tabIndex={0}
        className="max-h-60 divide-y divide-hairline overflow-y-auto rounded-field border border-hairline px-4"
      >
        {clients.map((client) => (
          <li key={client.id} className="flex items-start justify-between gap-4 py-2">
            <span className="min-w-0 break-words">
              {client.fullName}
              <span className="block text-sm text-encre-soft">{client.commercialName ?? t('Aucun commercial')}</span>
            </span>
            <Amount cents={client.revenue} className="shrink-0" />
          </li>
        ))}
      </ul>
    </BulkDialog>
  );
}
