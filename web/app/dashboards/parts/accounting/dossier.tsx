import { accountantYear, statementPeriods } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { FolderDown } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadDossier } from '#api/payments/download-dossier';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Select } from '#ui/select';
import { useDownload } from '../use-download.ts';

export interface DossierProps {
  /** The period that the address names. */
  asked?: string | undefined;
  /** The admin's « Envoyer à mon comptable », for the period on screen. */
  sending?: (period: string) => ReactNode;
  className?: string;
}

/** UI-12: one press gives the accountant's whole year, or another period. */
export function Dossier({ asked, sending, className }: DossierProps) {
  const { t } = useTranslation();
  const { pending, percent, start } = useDownload();
  const [now] = useState(() => new Date());
  const [chosen, setChosen] = useState(asked);
  const first = useQuery(firstAccountLineQuery(null)).data ?? now;
  const periods = [...statementPeriods('annee', first, now), ...statementPeriods('mois', first, now)];
  const name = periods.find((known) => known.name === chosen)?.name ?? accountantYear(first, now).name;
  const period = t(periods.find((known) => known.name === name)?.label ?? name);
  return (
    <Card className={className}>
      <div className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 p-5">
        <div className="min-w-0 grow basis-80">
          <h3 className="text-lg">{t('Dossier comptable')}</h3>
          <p className="mt-0.5 max-w-prose text-sm text-encre-soft">
            {sending === undefined
              ? t(
                  'Tout le parrainage d’une période, dans un seul fichier : journal, DAS2, paiements, relevés et pièces.',
                )
              : t(
                  'Tout ce que votre comptable demande, dans un seul fichier : journal, DAS2, paiements, relevés et pièces.',
                )}
          </p>
        </div>
        <div className="flex grow flex-wrap items-center gap-3 sm:grow-0">
          <div className="min-w-48 grow">
            <Select
              label={t('Période du dossier')}
              options={periods.map(({ name: value, label }) => ({ value, label: t(label) }))}
              value={name}
              onValueChange={setChosen}
            />
          </div>
          <Button
            variant="primary"
            className="max-sm:grow"
            icon={<FolderDown aria-hidden />}
            pending={pending === name}
            aria-label={t('Télécharger le dossier : {{period}}', { period })}
            onClick={() => void start(name, (signal, onProgress) => downloadDossier(name, { signal, onProgress }))}
          >
            {t('Télécharger le dossier')}
          </Button>
          {sending?.(name)}
        </div>
      </div>
      <div role="status" className="flex flex-wrap gap-x-2 px-5 text-sm text-encre-soft not-empty:pb-5">
        {pending !== undefined && (
          <>
            <p>{t('Le dossier se prépare, cela peut prendre une minute.')}</p>
            {percent > 0 && (
              <p aria-hidden className="tabular-digits">
                {t('{{percent}} %', { percent })}
              </p>
            )}
          </>
        )}
      </div>
    </Card>
  );
}
