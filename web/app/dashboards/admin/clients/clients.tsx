import { useQuery } from '@tanstack/react-query';
import { Pencil, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allClientsQuery, type ClientCard } from '#api/people/all-clients';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';
import { IconButton } from '#ui/icon-button';
import { PageHeader } from '#ui/page-header';
import { SearchInput } from '#ui/search-input';
import { CardList } from '../../parts/card-list.tsx';
import { countText } from '../../parts/count-text.ts';
import { InvitationResult } from '../../parts/invitation-result.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { CommercialPicker } from '../parts/commercial-picker.tsx';
import { AccessMenu } from '../parts/access-menu.tsx';
import { PersonCard } from '../parts/person-card.tsx';
import { ClientFormDialog } from './client-form-dialog.tsx';
import { DeleteClientDialog } from './delete-client-dialog.tsx';

/** AD-06: every client, as cards; adding one for a commercial, correcting one, removing one (V-13). */
export default function Clients(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('clients', props);
  const commercialId = list.get('commercial') ?? null;
  const clients = useQuery(allClientsQuery({ search: list.search, commercialId, page: list.page }));
  const [form, setForm] = useState<{ client: ClientCard | null }>();
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const [leaving, setLeaving] = useState<ClientCard>();
  const filtered = list.search !== '' || commercialId !== null;
  // One primary action at a time: an empty list has it in its middle.
  const isEmpty = clients.data?.rowCount === 0 && !filtered;
  const addButton = (
    <Button variant="primary" icon={<UserPlus />} onClick={() => setForm({ client: null })}>
      {t('Ajouter un client')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('Clients')}
        description={t('Ils parrainent leurs proches et demandent le paiement de leurs commissions.')}
        actions={isEmpty ? undefined : addButton}
      />
      <StaleNotice query={clients} />
      <div className="mb-4 flex flex-wrap gap-2">
        <SearchInput
          label={t('Rechercher un client')}
          value={list.typed}
          onValueChange={list.setTyped}
          className="min-w-0 flex-1 basis-64 sm:max-w-80"
        />
        <CommercialPicker
          label={t('Filtrer par commercial')}
          placeholder={t('Tous les commerciaux')}
          clearable
          commercialId={commercialId}
          onChange={(id) => list.set({ commercial: id ?? undefined })}
          className="min-w-0 flex-1 basis-56 sm:max-w-64"
        />
      </div>
      <CardList
        label={t('Clients')}
        query={clients}
        rowKey={(client) => client.id}
        card={(client) => (
          <Card client={client} onEdit={() => setForm({ client })} onDelete={() => setLeaving(client)} />
        )}
        empty={
          <EmptyState
            icon={<UserPlus />}
            title={t('Aucun client pour le moment')}
            description={t('Ajoutez un client et rattachez-le à un commercial : il pourra inviter ses proches.')}
            action={addButton}
          />
        }
        filtered={filtered}
        onClearFilters={() => {
          list.setTyped('');
          list.set({ commercial: undefined, recherche: undefined });
        }}
        onMove={list.setPage}
      />
      {form && (
        <ClientFormDialog
          client={form.client}
          onClose={() => setForm(undefined)}
          onInvited={(name, outcome) => {
            setForm(undefined);
            setInvited({ name, outcome });
          }}
        />
      )}
      <InvitationResult invited={invited} onClose={() => setInvited(undefined)} />
      {leaving && <DeleteClientDialog client={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  );
}

function Card({ client, onEdit, onDelete }: { client: ClientCard; onEdit: () => void; onDelete: () => void }) {
  const { t } = useTranslation();
  const name = client.fullName;
  return (
    <PersonCard
      person={client}
      subtitle={client.company}
      menu={<AccessMenu personId={client.id} name={name} />}
      actions={
        <>
          <IconButton label={t('Modifier {{name}}', { name })} icon={<Pencil />} onClick={onEdit} />
          <IconButton tone="danger" label={t('Supprimer {{name}}', { name })} icon={<Trash2 />} onClick={onDelete} />
        </>
      }
    >
      <dl className="mt-3.5 grid gap-1 border-t border-hairline pt-3 text-sm">
        <Line label={t('Commercial')}>
          {client.commercialName ?? <span className="text-encre-faint">{t('Aucun')}</span>}
        </Line>
        <Line label={t('Parrainages')}>
          <span className="figures">
            {countText(client.referralsCount, t('reçu'), t('reçus'))} ·{' '}
            {countText(client.signedContractsCount, t('signé'), t('signés'))}
          </span>
        </Line>
        <Line label={t('CA généré')}>
          <Amount cents={client.revenue} />
        </Line>
      </dl>
    </PersonCard>
  );
}

function Line({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4">
      <dt className="shrink-0 text-encre-faint">{label}</dt>
      <dd className="min-w-0 text-right break-words">{children}</dd>
    </div>
  );
}
