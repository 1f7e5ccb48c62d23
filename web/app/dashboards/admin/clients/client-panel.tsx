import { paymentMethodLabel } from '@parrain/domain/payment-request';
import { useQuery } from '@tanstack/react-query';
import { ArrowRightLeft, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { allPaymentRequestsQuery } from '#api/payments/all-payment-requests';
import type { ClientSummary } from '#api/people/client-summaries';
import type { PersonDetail } from '#api/people/person';
import { secondFactorsQuery } from '#api/people/second-factors';
import { firstPage } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Pagination } from '#ui/pagination';
import type { Neighbours } from '#ui/side-panel';
import { PayeeSection } from '../../parts/payee-details.tsx';
import { PaymentRequestStatus } from '../../parts/payment-request-status.tsx';
import { PersonPanel } from '../../parts/person/person-panel.tsx';
import { PersonReferrals } from '../../parts/person/person-referrals.tsx';
import { TemporaryPassword } from '../../parts/temporary-password.tsx';
import { ActionButton } from '../../shell/actions.tsx';
import { personActions } from '../actions.tsx';
import AccountActs from '../parts/account-acts.tsx';
import { AuditTimeline } from '../parts/audit-timeline.tsx';
import { Das2Note } from '../parts/das2-note.tsx';
import { PersonLink } from '../parts/person-link.tsx';
import { ViewAsButton } from '../parts/view-as-button.tsx';
import { PlaceLink } from '../parts/place-link.tsx';
import { RegularNote } from '../parts/regular-note.tsx';
import { deletionObstacle } from './deletion-obstacle.ts';

export interface ClientPanelProps {
  clientId: string | undefined;
  onClose: () => void;
  neighbours: Neighbours;
  onEdit: (client: ClientSummary) => void;
  onAssign: (client: ClientSummary) => void;
  onDelete: (client: ClientSummary) => void;
  onResetSecondFactor: (client: ClientSummary) => void;
}

/** NV-02, AD-06: all about a client. */
export default function ClientPanel({ clientId, onClose, neighbours, ...does }: ClientPanelProps) {
  const { t } = useTranslation();
  return (
    <PersonPanel
      personId={clientId}
      onClose={onClose}
      neighbours={neighbours}
      commercialLink={(id, name) => (
        <PersonLink role="commercial" id={id}>
          {name}
        </PersonLink>
      )}
      states={({ person }) => ({
        audience: 'admin',
        link: <PlaceLink to={{ search: `?section=ventes&parrain=${person.id}` }}>{t('Voir dans Ventes')}</PlaceLink>,
      })}
      actions={(detail) => <Actions detail={detail} {...does} />}
      more={({ person }) => (
        <>
          <PersonReferrals
            clientId={person.id}
            audience="admin"
            link={(saleId, name) => (
              <PlaceLink to={{ search: `?section=ventes&parrain=${person.id}&vente=${saleId}` }}>{name}</PlaceLink>
            )}
          />
          <AccountActs payeeId={person.id} name={person.fullName} />
          <Requests clientId={person.id} />
          <Das2Note payeeId={person.id} />
          <RegularNote payeeId={person.id} />
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
  detail: { person, client, states },
  onEdit,
  onAssign,
  onDelete,
  onResetSecondFactor,
}: Pick<ClientPanelProps, 'onEdit' | 'onAssign' | 'onDelete' | 'onResetSecondFactor'> & { detail: PersonDetail }) {
  const { t } = useTranslation();
  const { data: withFactor } = useQuery({
    ...secondFactorsQuery(client === null ? [] : [client.id]),
    enabled: client !== null,
  });
  if (client === null) return null;
  const obstacle = deletionObstacle(client, states);
  // Nobody can invite without a commercial: to choose one comes first (DF-06).
  const isAlone = client.commercialId === null;
  return (
    <>
      {obstacle !== null && (
        <p id="client-deletion-obstacle" className="mr-auto text-sm text-encre-soft">
          {t(obstacle)}
        </p>
      )}
      {person.deactivatedAt === null && <ViewAsButton personId={client.id} />}
      <TemporaryPassword person={client} />
      {withFactor?.has(client.id) && (
        <ActionButton action={personActions.resetSecondFactor} onRun={() => onResetSecondFactor(client)} />
      )}
      {obstacle === null && (
        <Button icon={<Trash2 />} onClick={() => onDelete(client)}>
          {t('Supprimer')}
        </Button>
      )}
      <Button variant={isAlone ? 'secondary' : 'primary'} icon={<Pencil />} onClick={() => onEdit(client)}>
        {t('Modifier')}
      </Button>
      {isAlone && (
        <Button variant="primary" icon={<ArrowRightLeft />} onClick={() => onAssign(client)}>
          {t('Confier à un commercial')}
        </Button>
      )}
    </>
  );
}

const everyRequest = {
  status: 'all',
  search: '',
  method: null,
  days: null,
  sort: 'created_at',
  desc: true,
} as const;

/** A client's payment requests, newest first. */
function Requests({ clientId }: { clientId: string }) {
  const { t } = useTranslation();
  const [page, setPage] = useState(firstPage);
  const { data } = useQuery(allPaymentRequestsQuery({ ...everyRequest, clientId, page }));
  if (data === undefined || data.rowCount === 0) return null;
  const label = t('Demandes de paiement');
  return (
    <section>
      <h3 className="mb-3 text-lg">{label}</h3>
      <ul aria-label={label} className="divide-y divide-hairline border-y border-hairline">
        {data.rows.map((request) => (
          <li key={request.id} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-4 gap-y-0.5 py-2.5">
            <PlaceLink to={{ search: `?section=demandes-de-paiement&demande=${request.id}` }} className="font-medium">
              {t(paymentMethodLabel(request.paymentMethod))}
            </PlaceLink>
            <Amount cents={request.amount} />
            <span>
              <PaymentRequestStatus status={request.status} />
            </span>
            <DateText value={request.createdAt} className="text-right text-sm text-encre-faint" />
          </li>
        ))}
      </ul>
      <Pagination label={label} page={data} onMove={setPage} />
    </section>
  );
}
