import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { rulesStateQuery } from '#api/company/programme-rules';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { lazyPart } from '#ui/lazy-part';

const RulesDialog = lazyPart(() => import('./rules-dialog.tsx'));

/** CS-05: where the programme's rules stand, and the way to write them and to see who accepted them. */
export function RulesSetting() {
  const { t } = useTranslation();
  const { data } = useQuery(rulesStateQuery);
  const [isOpen, setOpen] = useState(false);
  const current = data?.versions[0];
  return (
    <section aria-labelledby="programme-rules" className="flex flex-col gap-4 border-t border-hairline pt-5">
      <div>
        <h3 id="programme-rules" className="text-base">
          {t('Règles du programme')}
        </h3>
        <p className="text-sm text-encre-soft">
          {current === undefined ? (
            t('Une fois publiées, chaque client les accepte à sa visite suivante, et à chaque changement.')
          ) : (
            <>
              {t('Version {{version}}, du', { version: current.version })} <DateText value={current.publishedAt} />
              {t(' : acceptée par {{accepted}} clients sur {{clients}}.', {
                accepted: current.accepted,
                clients: data?.clients ?? 0,
              })}
            </>
          )}
        </p>
      </div>
      <Button size="sm" className="self-start" onClick={() => setOpen(true)}>
        {t('Ouvrir les règles')}
      </Button>
      {isOpen && <RulesDialog onClose={() => setOpen(false)} />}
    </section>
  );
}
