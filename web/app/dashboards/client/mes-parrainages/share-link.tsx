import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { invitationRightsQuery } from '#api/people/invitation-rights';
import { personalLinkQuery } from '#api/people/personal-link';
import { isView } from '#api/transport/client';
import { useProfile } from '#api/transport/session';
import { ShareButton } from '#ui/share-button';
import { useCompanyName } from '../../parts/use-company-name.ts';

/** Hands the client's own link to the device's share sheet, with its words; nothing where there is no sheet, or no friend may come yet (CS-01, UI-02). */
export default function ShareLink() {
  const { t } = useTranslation();
  const profile = useProfile();
  const company = useCompanyName() ?? '';
  const rights = useQuery(invitationRightsQuery(profile.id)).data;
  const mayShare = 'share' in navigator && !isView && rights?.obstacles.length === 0;
  // Read ahead: a browser opens its sheet on the press, not after an answer.
  const { data: url } = useQuery({ ...personalLinkQuery(profile.id), enabled: mayShare, retry: false });
  if (!mayShare || url === undefined) return null;
  return (
    <ShareButton
      text={t('Je te recommande {{company}} : {{url}}', { company, url })}
      title={company}
      shareLabel={t('Partager mon lien')}
    />
  );
}
