import { contactKept, keepReasonRequired } from '@parrain/domain/forms/kept-contact';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { contactsToEraseQuery, keepContact, type ContactToErase } from '#api/sales/contacts-to-erase';
import { messageOf } from '#api/transport/api-error';
import { refresh } from '#api/transport/refresh';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { DateText } from '#ui/date';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { ReasonDialog } from '../parts/reason-dialog.tsx';

const shownFirst = 3;

/** CS-04: contacts without contract that are about to be forgotten, the first to go first; here only while there are some. */
export function ContactsToErase({ onOpen }: { onOpen: (saleId: string) => void }) {
  const { t } = useTranslation();
  const { data } = useQuery(contactsToEraseQuery);
  const [whole, setWhole] = useState(false);
  const [keeping, setKeeping] = useState<ContactToErase>();
  const first = data?.contacts[0];
  if (data === undefined || first === undefined) return null;
  const shown = whole ? data.contacts : data.contacts.slice(0, shownFirst);
  return (
    <Card className="mb-5 overflow-clip">
      <CardHeader
        title={t('Contacts à effacer')}
        description={
          <>
            {countText(data.total, t('contact sans contrat ni nouvelles'), t('contacts sans contrat ni nouvelles'))}
            {t(', à partir du')} <DateText value={first.eraseOn} />
          </>
        }
        level={3}
      />
      <ul className="divide-y divide-hairline">
        {shown.map((contact) => (
          <li key={contact.saleId} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
            <p className="min-w-0 flex-1 basis-48">
              <span className="font-medium wrap-anywhere">{contact.name}</span>
              <span className="block text-sm wrap-anywhere text-encre-soft">
                {t('À effacer le')} <DateText value={contact.eraseOn} />
                {t(' · sans nouvelles depuis le')} <DateText value={contact.lastHeardAt} />
                {contact.referrerName !== null && ` · ${t('parrain : {{name}}', { name: contact.referrerName })}`}
              </span>
            </p>
            <div className="flex gap-2">
              <Button
                size="sm"
                variant="quiet"
                aria-label={t('Voir la vente de {{name}}', { name: contact.name })}
                onClick={() => onOpen(contact.saleId)}
              >
                {t('Voir')}
              </Button>
              <Button
                size="sm"
                aria-label={t('Garder {{name}}', { name: contact.name })}
                onClick={() => setKeeping(contact)}
              >
                {t('Garder')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
      {shown.length < data.total && (
        <div className="border-t border-hairline px-4 py-3 sm:px-5">
          {whole ? (
            <p className="text-sm text-encre-soft">
              {t('Les {{count}} premiers sont affichés.', { count: shown.length })}
            </p>
          ) : (
            <Button size="sm" variant="quiet" onClick={() => setWhole(true)}>
              {t('Voir toute la liste')}
            </Button>
          )}
        </div>
      )}
      {keeping && <KeepDialog contact={keeping} onClose={() => setKeeping(undefined)} />}
    </Card>
  );
}

function KeepDialog({ contact, onClose }: { contact: ContactToErase; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const keep = useMutation({
    mutationFn: (reason: string) => keepContact(contact.saleId, reason),
    onSuccess: () => {
      toast.success(t(contactKept));
      onClose();
    },
    // The list may be stale: it is read again behind the refusal.
    onError: refresh,
  });
  return (
    <ReasonDialog
      title={t('Garder {{name}} ?', { name: contact.name })}
      description={t('Ses coordonnées restent aussi longtemps qu’après un nouvel échange.')}
      reasonLabel={t('Pourquoi le garder')}
      hint={t('Gardée dans l’historique, que seuls les administrateurs lisent.')}
      requiredMessage={keepReasonRequired}
      confirmLabel={t('Garder ce contact')}
      pending={keep.isPending}
      error={keep.isError ? messageOf(keep.error, t('Le contact n’a pas pu être gardé.')) : undefined}
      onConfirm={(reason) => keep.mutate(reason)}
      onClose={onClose}
    />
  );
}
