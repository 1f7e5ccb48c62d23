import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { rulesStateQuery } from '#api/company/programme-rules';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { lazyPart } from '#ui/lazy-part';
import { SettingCard } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';

const RulesDialog = lazyPart(() => import('./rules-dialog.tsx'));

/** CS-05: where the programme's rules stand, and the way to write them and to see who accepted them. */
export function RulesSetting({ title }: SettingProps) {
  const { t } = useTranslation();
  const { data } = useQuery(rulesStateQuery);
  const [isOpen, setOpen] = useState(false);
  const current = data?.versions[0];
  return (
    <SettingCard
      title={title}
      description={
        current === undefined ? (
          t('Une fois publiées, chaque client les accepte à sa visite suivante, et à chaque changement.')
        ) : (
          <>
            {t('Version {{version}}, du', { version: current.version })} <DateText value={current.publishedAt} />
            {t(' : acceptée par {{accepted}} clients sur {{clients}}.', {
              accepted: current.accepted,
              clients: data?.clients ?? 0,
            })}
          </>
        )
      }
    >
      <Button size="sm" className="self-start" onClick={() => setOpen(true)}>
        {t('Ouvrir les règles')}
      </Button>
      {isOpen && <RulesDialog onClose={() => setOpen(false)} />}
    </SettingCard>
  );
}
