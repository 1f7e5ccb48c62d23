import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { requestAddressLink } from '#api/people/address-link';
import { askCommercial } from '#api/people/ask-commercial';
import { invitationRightsQuery } from '#api/people/invitation-rights';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

interface InvitationObstaclesProps {
  openProfile: () => void;
}

/** Why no friend can be invited yet, and the way out of it (FX-04). */
export function InvitationObstacles({ openProfile }: InvitationObstaclesProps) {
  const { id } = useProfile();
  const { data: rights } = useQuery(invitationRightsQuery(id));
  return (
    <div className="mb-5 flex flex-col gap-3 empty:hidden">
      {rights?.obstacles.map(({ code }) =>
        code === 'address_not_proven' ? (
          <AddressToConfirm key={code} openProfile={openProfile} />
        ) : (
          <CommercialToAsk key={code} askedAt={rights.commercialAskedAt} />
        ),
      )}
    </div>
  );
}

/** « Demander un commercial », told to the company's admins; asked already, since when. */
function CommercialToAsk({ askedAt }: { askedAt: string | null }) {
  const { t } = useTranslation();
  const toast = useToast();
  const ask = useMutation({
    mutationFn: askCommercial,
    onSuccess: (message) => toast.success(message),
    onError: (error) => toast.error(messageOf(error, t('La demande n’est pas partie. Réessayez.'))),
  });
  return (
    <Notice
      tone={askedAt === null ? 'warning' : 'info'}
      title={t('Vous n’avez pas encore de commercial')}
      action={
        askedAt === null && (
          <Button variant="primary" pending={ask.isPending} onClick={() => ask.mutate()}>
            {t('Demander un commercial')}
          </Button>
        )
      }
    >
      {askedAt === null ? (
        t('C’est lui qui appelle les amis que vous recommandez : l’entreprise doit vous en attribuer un.')
      ) : (
        <>
          {t('Demandé le')} <DateText value={askedAt} withTime /> ·{' '}
          {t('l’entreprise est prévenue. Vous pourrez inviter vos amis dès qu’un commercial vous suit.')}
        </>
      )}
    </Notice>
  );
}

function AddressToConfirm({ openProfile }: { openProfile: () => void }) {
  const { t } = useTranslation();
  const { email } = useProfile();
  const request = useMutation({ mutationFn: () => requestAddressLink(email) });
  if (email === '') {
    return (
      <Notice
        tone="warning"
        title={t('Ajoutez votre adresse e-mail')}
        action={<Button onClick={openProfile}>{t('Ouvrir mon profil')}</Button>}
      >
        {t('Vous pourrez inviter vos amis dès qu’elle sera confirmée.')}
      </Notice>
    );
  }
  if (request.isSuccess) {
    return (
      <Notice tone="success" title={t('Un lien vient de vous être envoyé')}>
        <span className="wrap-anywhere">
          {t('Ouvrez-le depuis votre boîte {{email}} : vous pourrez ensuite inviter vos amis.', { email })}
        </span>
      </Notice>
    );
  }
  return (
    <Notice
      tone={request.isError ? 'error' : 'warning'}
      title={t('Votre adresse n’est pas encore confirmée')}
      action={
        <Button variant="primary" pending={request.isPending} onClick={() => request.mutate()}>
          {t('Confirmez votre adresse')}
        </Button>
      }
    >
      {request.isError
        ? messageOf(request.error, t('Le lien n’a pas pu être demandé. Réessayez.'))
        : t('Recevez un lien par e-mail, ouvrez-le : vous pourrez ensuite inviter vos amis.')}
    </Notice>
  );
}
