import { useQuery } from '@tanstack/react-query';
import { RotateCcw, Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { CommercialSummary } from '#api/people/commercial-summaries';
import type { PersonDetail } from '#api/people/person';
import { secondFactorsQuery } from '#api/people/second-factors';
import { Button } from '#ui/button';
import type { Neighbours } from '#ui/side-panel';
import { PayeeSection } from '../../parts/payee-details.tsx';
import { PersonPanel } from '../../parts/person/person-panel.tsx';
import { TemporaryPassword } from '../../parts/temporary-password.tsx';
import { ActionButton } from '../../shell/actions.tsx';
import { personActions } from '../actions.tsx';
import AccountActs from '../parts/account-acts.tsx';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { Das2Note } from '../parts/das2-note.tsx';
import { ViewAsButton } from '../parts/view-as-button.tsx';
import { PlaceLink } from '../parts/place-link.tsx';
import { isRemovable } from './remove-commercial-dialog.tsx';

export interface CommercialPanelProps {
  commercialId: string | undefined;
  onClose: () => void;
  neighbours: Neighbours;
  onRemove: (commercial: CommercialSummary) => void;
  onReactivate: (commercial: CommercialSummary) => void;
  onResetSecondFactor: (commercial: CommercialSummary) => void;
}

/** NV-02, AD-04: all about a commercial. */
export default function CommercialPanel({ commercialId, onClose, neighbours, ...does }: CommercialPanelProps) {
  const { t } = useTranslation();
  return (
    <PersonPanel
      personId={commercialId}
      onClose={onClose}
      neighbours={neighbours}
      states={({ person }) => ({
        audience: 'admin',
        link: <PlaceLink to={{ search: `?section=ventes&commercial=${person.id}` }}>{t('Voir dans Ventes')}</PlaceLink>,
      })}
      actions={(detail) => <Actions detail={detail} {...does} />}
      more={({ person, commercial }) => (
        <>
          {commercial !== null && commercial.clientsCount > 0 && (
            <p>
              <PlaceLink to={{ search: `?section=clients&commercial=${person.id}` }}>{t('Voir ses clients')}</PlaceLink>
            </p>
          )}
          <AccountActs payeeId={person.id} name={person.fullName} />
          <Das2Note payeeId={person.id} />
          <PayeeSection payeeId={person.id} isOwn={false} isActive={person.deactivatedAt === null} />
          <section>
            <h3 className="mb-3 text-lg">{t('Historique du compte')}</h3>
            <AuditTimeline entity="profiles" entityId={person.id} />
          </section>
        </>
      )}
    />
  );
}

function Actions({
  detail: { commercial },
  onRemove,
  onReactivate,
  onResetSecondFactor,
}: Pick<CommercialPanelProps, 'onRemove' | 'onReactivate' | 'onResetSecondFactor'> & { detail: PersonDetail }) {
  const { t } = useTranslation();
  const { data: withFactor } = useQuery({
    ...secondFactorsQuery(commercial === null ? [] : [commercial.id]),
    enabled: commercial !== null,
  });
  if (commercial === null) return null;
  if (commercial.deactivatedAt !== null)
    return (
      <Button variant="primary" icon={<RotateCcw />} onClick={() => onReactivate(commercial)}>
        {t('Réactiver')}
      </Button>
    );
  return (
    <>
      <ViewAsButton personId={commercial.id} />
      <TemporaryPassword person={commercial} />
      {withFactor?.has(commercial.id) && (
        <ActionButton action={personActions.resetSecondFactor} onRun={() => onResetSecondFactor(commercial)} />
      )}
      <Button icon={<Trash2 />} onClick={() => onRemove(commercial)}>
        {isRemovable(commercial) ? t('Supprimer') : t('Désactiver')}
      </Button>
    </>
  );
}
