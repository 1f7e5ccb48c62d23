import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { requestAddressLink } from '#api/people/address-link';
import type { InvitationRights } from '#api/people/invitation-rights';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { Notice } from '#ui/notice';

interface InvitationObstaclesProps {
  obstacles: InvitationRights['obstacles'];
  openProfile: () => void;
}

/** Why no friend can be invited yet, and the way out of it (FX-04). */
export function InvitationObstacles({ obstacles, openProfile }: InvitationObstaclesProps) {
  const { t } = useTranslation();
  return (
    <div className="mb-5 flex flex-col gap-3 empty:hidden">
      {obstacles.map(({ code, message }) =>
        code === 'address_not_proven' ? (
          <AddressToConfirm key={code} openProfile={openProfile} />
        ) : (
          <Notice key={code} tone="warning" title={t('Vous n’avez pas encore de commercial')}>
            {message}
          </Notice>
        ),
      )}
    </div>
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
