import { noReferralReceived } from '@parrain/domain/messages';
import { Inbox } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import type { SectionProps } from '../../shell/sections.ts';

interface NoReferralProps extends Pick<SectionProps, 'openSection'> {
  /** Forgets search and filters; undefined where nobody was referred yet. */
  onClear: (() => void) | undefined;
}

/** In place of the list: nothing that filters leave, or nobody yet, with the first steps (NV-08). */
export default function NoReferral({ openSection, onClear }: NoReferralProps) {
  const { t } = useTranslation();
  if (onClear) {
    return (
      <NothingFound
        description={t('Aucun parrainage ne correspond à cette recherche et à ce filtre.')}
        onClear={onClear}
      />
    );
  }
  return (
    <EmptyState
      icon={<Inbox />}
      title={t(noReferralReceived)}
      steps={[
        t('Invitez un client : il reçoit de quoi ouvrir son espace.'),
        t('Il vous recommande un ami, qui apparaît ici avec de quoi le joindre.'),
        t('Rappelez cet ami, tenez son statut à jour, puis déclarez le contrat signé.'),
      ]}
      action={<Button onClick={() => openSection('mes-clients')}>{t('Inviter un client')}</Button>}
    />
  );
}
