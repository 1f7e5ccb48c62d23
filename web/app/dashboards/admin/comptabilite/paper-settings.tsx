import { formatEuros } from '@parrain/domain/money';
import { specimenNames, specimens } from '@parrain/domain/specimen';
import { sirenText, siretText } from '@parrain/domain/siren';
import { useQuery } from '@tanstack/react-query';
import { Check, CircleSlash, FileText, Settings2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { downloadPaper, paperSettingsQuery, type PaperSettings } from '#api/payments/papers';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { Facts, type Fact } from '#ui/facts';
import { lazyPart } from '#ui/lazy-part';
import { Menu } from '#ui/menu';
import { Skeleton } from '#ui/skeleton';
import { useDownload } from '../../parts/use-download.ts';

const PaperSettingsDialog = lazyPart(() => import('./paper-settings-dialog.tsx'));

/** PP-01: whether payments have papers, and the company as papers name it. */
export function PaperSettingsCard() {
  const { t } = useTranslation();
  const settings = useQuery(paperSettingsQuery);
  const [isEdited, setEdited] = useState(false);
  const { data } = settings;
  return (
    <Card className="mt-5 p-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h3 className="text-lg">{t('Pièces des paiements')}</h3>
            {data?.issuesPapers === true ? (
              <Badge tone="green" icon={<Check aria-hidden />}>
                {t('Activées')}
              </Badge>
            ) : (
              <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
                {t('Désactivées')}
              </Badge>
            )}
          </div>
          <p className="mt-0.5 max-w-prose text-sm text-encre-soft">
            {t(
              'Activées, chaque paiement donne un reçu numéroté, ou une autofacture au format Factur-X à qui en donne le mandat, et chaque bénéficiaire donne son statut et ses informations légales avant d’être payé.',
            )}
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Specimens />
          <Button
            size="sm"
            icon={<Settings2 aria-hidden />}
            disabled={data === undefined}
            onClick={() => setEdited(true)}
          >
            {t('Réglages des pièces')}
          </Button>
        </div>
      </div>
      {data === undefined ? (
        settings.isError ? (
          <ErrorState onRetry={() => void settings.refetch()} pending={settings.isFetching} />
        ) : (
          <Skeleton className="mt-4 h-16 w-full" />
        )
      ) : (
        data !== null && (
          <Facts
            className="mt-4"
            items={[
              { label: t('Entreprise'), value: data.legalName },
              {
                label: t('Adresse'),
                value: `${data.address.street}, ${data.address.postalCode} ${data.address.city}`,
              },
              ...registrationFacts(data, t),
              ...(data.vatNumber === null
                ? []
                : [{ label: t('Numéro de TVA'), value: <span className="tabular-digits">{data.vatNumber}</span> }]),
              {
                label: t('Régime de TVA'),
                value: t(
                  data.vatFranchise
                    ? 'Franchise en base : aucune TVA récupérée'
                    : data.vatNumber === null
                      ? 'Sans numéro : aucune TVA récupérée'
                      : 'Assujettie, récupère la TVA',
                ),
              },
              {
                label: t('Contestation d’une pièce'),
                value: t(data.contestDays > 1 ? '{{count}} jours' : '{{count}} jour', { count: data.contestDays }),
              },
            ]}
          />
        )
      )}
      {isEdited && data !== undefined && <PaperSettingsDialog settings={data} onClose={() => setEdited(false)} />}
    </Card>
  );
}

/** AC-07: examples of each paper, as the company's payees would get it. */
function Specimens() {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  return (
    <Menu
      trigger={
        <Button size="sm" icon={<FileText aria-hidden />} pending={pending !== undefined}>
          {t('Voir un exemple')}
        </Button>
      }
      items={specimenNames.map((name) => ({
        id: name,
        label: t(specimens[name].label),
        onSelect: () => void start(name, (signal) => downloadPaper({ specimen: name }, signal)),
      }))}
    />
  );
}

/** Facts that the law asks a company's papers to say of it (AC-07). */
function registrationFacts(data: PaperSettings, t: (text: string) => string): Fact[] {
  const { siren, siret, legalForm, capital, registryCity } = data;
  return [
    siret === null
      ? { label: t('SIREN'), value: <span className="tabular-digits">{sirenText(siren)}</span> }
      : { label: t('SIRET'), value: <span className="tabular-digits">{siretText(siret)}</span> },
    ...(legalForm === null ? [] : [{ label: t('Forme juridique'), value: legalForm }]),
    ...(capital === null
      ? []
      : [{ label: t('Capital social'), value: <span className="tabular-digits">{formatEuros(capital)}</span> }]),
    ...(registryCity === null ? [] : [{ label: t('RCS'), value: registryCity }]),
  ];
}
