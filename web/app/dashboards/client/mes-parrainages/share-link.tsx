import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { personalLinkQuery } from '#api/people/personal-link';
import { useProfile } from '#api/transport/session';
import { ShareButton } from '#ui/share-button';
import { useCompanyName } from '../../parts/use-company-name.ts';

/** Hands the client's own link to the device's share sheet, with its words; nothing where there is no sheet, or no link yet (CS-01, UI-02). */
export default function ShareLink() {
  const { t } = useTranslation();
  const profile = useProfile();
  const company = useCompanyName() ?? '';
  // Read ahead: a browser opens its sheet on the press, not after an answer.
  const { data: url } = useQuery({ ...personalLinkQuery(profile.id), enabled: 'share' in navigator, retry: false });
  if (url === undefined || !('share' in navigator)) return null;
  return (
    <ShareButton
      text={t('Je te recommande {{company}} : {{url}}', { company, url })}
      title={company}
      shareLabel={t('Partager mon lien')}
    />
  );
}
