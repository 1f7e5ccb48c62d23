import { Trash2 } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { ClientSummary } from '#api/people/client-summaries';
import { Button } from '#ui/button';
import type { Neighbours } from '#ui/side-panel';
import { PersonPanel } from '../../parts/person/person-panel.tsx';
import { PersonReferrals } from '../../parts/person/person-referrals.tsx';
import { TemporaryPassword } from '../../parts/temporary-password.tsx';

export interface ClientPanelProps {
  clientId: string | undefined;
  onClose: () => void;
  neighbours: Neighbours;
  onDelete: (client: ClientSummary) => void;
}

/** NV-02: all that a commercial may know of a client of theirs. */
export default function ClientPanel({ clientId, onClose, neighbours, onDelete }: ClientPanelProps) {
  const { t } = useTranslation();
  return (
    <PersonPanel
      personId={clientId}
      onClose={onClose}
      neighbours={neighbours}
      states={{ audience: 'commercial' }}
      actions={({ person, client }) => (
        <>
          <TemporaryPassword person={person} />
          {/* CO-07: only where the client's revenue is 0. */}
          {client?.revenue === 0n && (
            <Button icon={<Trash2 />} onClick={() => onDelete(client)}>
              {t('Supprimer')}
            </Button>
          )}
        </>
      )}
      more={({ person }) => <PersonReferrals clientId={person.id} audience="commercial" />}
    />
  );
}
