import { noReferralReceived } from '@parrain/domain/messages';
import { CalendarCheck, Inbox } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { EmptyState } from '#ui/empty-state';
import { NothingFound } from '#ui/nothing-found';
import type { ReferralFilter } from '#api/sales/received-referrals';
import { runAction } from '../../shell/run-action.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { commercialActions } from '../actions.tsx';

interface NoReferralProps extends Pick<SectionProps, 'openSection'> {
  /** Forgets search and filters; undefined where nobody was referred yet. */
  onClear: (() => void) | undefined;
  /** The list that is empty by itself; undefined where a search or a filter empties it. */
  choice: ReferralFilter | undefined;
  onShowAll: () => void;
  /** Leads to those without news. */
  onShowSilent: () => void;
}

/** In place of the list: nothing that filters leave, or nobody yet, with the first steps (NV-08). */
export default function NoReferral({ openSection, onClear, choice, onShowAll, onShowSilent }: NoReferralProps) {
  const { t } = useTranslation();
  if (choice === 'today')
    return (
      <EmptyState
        icon={<CalendarCheck />}
        title={t('Rien à faire aujourd’hui')}
        description={t(
          'Aucun parrainage n’est nouveau, en retard ou à rappeler. Ceux que vous suivez sont dans « Tous ».',
        )}
        action={<Button onClick={onShowAll}>{t('Voir tous les parrainages')}</Button>}
      />
    );
  if (choice === 'call_back')
    return (
      <EmptyState
        icon={<CalendarCheck />}
        title={t('Aucun rappel prévu d’ici ce soir')}
        description={t(
          '« À relancer » montre ceux pour qui vous avez noté un jour de rappel. Ceux dont personne n’a de nouvelles sont à part.',
        )}
        action={<Button onClick={onShowSilent}>{t('Voir les parrainages sans nouvelles')}</Button>}
      />
    );
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
      action={
        <Button onClick={() => runAction(commercialActions.addClient, openSection)}>{t('Inviter un client')}</Button>
      }
    />
  );
}
