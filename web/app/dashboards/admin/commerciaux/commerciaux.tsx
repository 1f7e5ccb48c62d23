import type { Profile } from '@parrain/domain/profile';
import { useQuery } from '@tanstack/react-query';
import { CircleSlash, RotateCcw, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { commercialsQuery } from '#api/people/commercials';
import type { InvitationOutcome } from '#api/people/invitation-outcome';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';
import { IconButton } from '#ui/icon-button';
import { PageHeader } from '#ui/page-header';
import { SearchInput } from '#ui/search-input';
import { CardList } from '../../parts/card-list.tsx';
import { InvitationResult } from '../../parts/invitation-result.tsx';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useListState } from '../../parts/use-list-state.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { AccessMenu } from '../parts/access-menu.tsx';
import { PersonCard } from '../parts/person-card.tsx';
import { InviteCommercialDialog } from './invite-commercial-dialog.tsx';
import { ReactivateCommercialDialog } from './reactivate-commercial-dialog.tsx';
import { RemoveCommercialDialog } from './remove-commercial-dialog.tsx';

/** AD-04, AD-05: the commercials, as cards; inviting one, and what becomes of one who leaves. */
export default function Commerciaux(props: SectionProps) {
  const { t } = useTranslation();
  const list = useListState('commerciaux', props);
  const commercials = useQuery(commercialsQuery({ search: list.search, page: list.page, activeOnly: false }));
  const [inviting, setInviting] = useState(false);
  const [invited, setInvited] = useState<{ name: string; outcome: InvitationOutcome }>();
  const [leaving, setLeaving] = useState<Profile>();
  const [returning, setReturning] = useState<Profile>();
  // One primary action at a time: an empty list has it in its middle.
  const isEmpty = commercials.data?.rowCount === 0 && list.search === '';
  const inviteButton = (
    <Button variant="primary" icon={<UserPlus />} onClick={() => setInviting(true)}>
      {t('Ajouter un commercial')}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t('Commerciaux')}
        description={t('Ils invitent leurs clients, suivent les parrainages et préparent les contrats.')}
        actions={isEmpty ? undefined : inviteButton}
      />
      <StaleNotice query={commercials} />
      <SearchInput
        label={t('Rechercher un commercial')}
        value={list.typed}
        onValueChange={list.setTyped}
        className="mb-4 sm:max-w-80"
      />
      <CardList
        label={t('Commerciaux')}
        query={commercials}
        rowKey={(commercial) => commercial.id}
        card={(commercial) => (
          <CommercialCard
            commercial={commercial}
            onRemove={() => setLeaving(commercial)}
            onReactivate={() => setReturning(commercial)}
          />
        )}
        empty={
          <EmptyState
            icon={<UserPlus />}
            title={t('Aucun commercial pour le moment')}
            description={t('Invitez votre premier commercial : il recevra ses identifiants par email.')}
            action={inviteButton}
          />
        }
        filtered={list.search !== ''}
        onClearFilters={() => list.setTyped('')}
        onMove={list.setPage}
      />
      <InviteCommercialDialog
        open={inviting}
        onClose={() => setInviting(false)}
        onInvited={(name, outcome) => setInvited({ name, outcome })}
      />
      <InvitationResult invited={invited} onClose={() => setInvited(undefined)} />
      {leaving && <RemoveCommercialDialog commercial={leaving} onClose={() => setLeaving(undefined)} />}
      {returning && <ReactivateCommercialDialog commercial={returning} onClose={() => setReturning(undefined)} />}
    </>
  );
}

interface CommercialCardProps {
  commercial: Profile;
  onRemove: () => void;
  onReactivate: () => void;
}

function CommercialCard({ commercial, onRemove, onReactivate }: CommercialCardProps) {
  const { t } = useTranslation();
  const deactivated = commercial.deactivatedAt !== null;
  return (
    <PersonCard
      person={commercial}
      dimmed={deactivated}
      subtitle={
        deactivated && (
          <span className="mt-1 inline-flex">
            <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
              {t('Désactivé')}
            </Badge>
          </span>
        )
      }
      menu={!deactivated && <AccessMenu personId={commercial.id} name={commercial.fullName} />}
      actions={
        deactivated ? (
          <IconButton
            label={t('Réactiver {{name}}', { name: commercial.fullName })}
            icon={<RotateCcw />}
            onClick={onReactivate}
          />
        ) : (
          <IconButton
            tone="danger"
            label={t('Supprimer {{name}}', { name: commercial.fullName })}
            icon={<Trash2 />}
            onClick={onRemove}
          />
        )
      }
    />
  );
}
