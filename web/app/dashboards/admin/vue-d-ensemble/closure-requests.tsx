import { roleLabels } from '@parrain/domain/role';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { pendingClosuresQuery, type PendingClosure } from '#api/account/account-closure';
import { useProfile } from '#api/transport/session';
import { Avatar } from '#ui/avatar';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { lazyPart } from '#ui/lazy-part';
import { EmailText } from '../../parts/email-text.tsx';

const AcceptDialog = lazyPart(async () => ({ default: (await import('./closure-dialogs.tsx')).AcceptDialog }));
const RejectDialog = lazyPart(async () => ({ default: (await import('./closure-dialogs.tsx')).RejectDialog }));

/** « Demandes de fermeture de compte »: here only while one waits for a decision (CO-11, CL-09). */
export function ClosureRequests() {
  const { t } = useTranslation();
  const profile = useProfile();
  const { data: requests = [] } = useQuery(pendingClosuresQuery(profile.id));
  const [deciding, setDeciding] = useState<{ request: PendingClosure; accept: boolean }>();
  const close = () => setDeciding(undefined);
  return (
    <>
      {requests.length > 0 && (
        <Card className="mt-5 overflow-clip">
          <CardHeader
            title={t('Demandes de fermeture de compte')}
            description={t('Une réponse est due dans le mois.')}
            level={3}
          />
          <ul className="divide-y divide-hairline">
            {requests.map((request) => (
              <RequestLine key={request.id} request={request} onDecide={(accept) => setDeciding({ request, accept })} />
            ))}
          </ul>
        </Card>
      )}
      {deciding &&
        (deciding.accept ? (
          <AcceptDialog request={deciding.request} onClose={close} />
        ) : (
          <RejectDialog request={deciding.request} onClose={close} />
        ))}
    </>
  );
}

function RequestLine({ request, onDecide }: { request: PendingClosure; onDecide: (accept: boolean) => void }) {
  const { t } = useTranslation();
  const { person } = request;
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 px-4 py-4 sm:items-center sm:px-5">
      <Avatar name={person.fullName} />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-medium wrap-anywhere">{person.fullName}</p>
        <p className="text-sm text-encre-soft">
          {t(roleLabels[person.role])}
          {person.email !== null && (
            <>
              {' · '}
              <EmailText email={person.email} />
            </>
          )}
          {' · '}
          {t('demandé le')} <DateText value={request.requestedAt} />
        </p>
        {request.message !== null && (
          <p className="mt-1 text-encre-soft wrap-anywhere whitespace-pre-line">« {request.message} »</p>
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button
          aria-label={t('Refuser la fermeture de {{name}}', { name: person.fullName })}
          onClick={() => onDecide(false)}
        >
          {t('Refuser')}
        </Button>
        <Button
          aria-label={t('Fermer le compte de {{name}}', { name: person.fullName })}
          onClick={() => onDecide(true)}
        >
          {t('Fermer le compte')}
        </Button>
      </div>
    </li>
  );
}
