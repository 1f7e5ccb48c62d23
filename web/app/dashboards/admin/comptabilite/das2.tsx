import {
  das2Missing,
  das2Reason,
  das2State,
  das2StateLabels,
  das2ThresholdText,
  type Das2State,
} from '@parrain/domain/das2';
import { formatEuros } from '@parrain/domain/money';
import { payeeStatusLabels } from '@parrain/domain/payee';
import { sirenText } from '@parrain/domain/siren';
import { statementPeriods } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleSlash, FileSpreadsheet, FileText, Landmark, Settings2, TriangleAlert } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { das2Query, das2SettingsQuery, downloadDas2, type Das2Payee } from '#api/payments/das2';
import { firstAccountLineQuery } from '#api/payments/first-account-line';
import { refresh } from '#api/transport/refresh';
import { firstPage } from '#api/transport/read-page';
import { Amount } from '#ui/amount';
import { Badge, type BadgeTone } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { Cell } from '#ui/cell';
import { DataTable, type DataColumn } from '#ui/data-table';
import { EmptyState } from '#ui/empty-state';
import { lazyPart } from '#ui/lazy-part';
import { Select } from '#ui/select';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import { useDownload } from '../../parts/use-download.ts';
import { PersonLink } from '../parts/person-link.tsx';

const Das2Dialog = lazyPart(() => import('./das2-dialog.tsx'));

/** PP-04: what each payee was paid in a year, who is to be declared, and who is not and why. */
export function Das2({ className }: { className?: string }) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [now] = useState(() => new Date());
  const first = useQuery(firstAccountLineQuery(null)).data;
  const years = statementPeriods('annee', first ?? now, now).map(({ name }) => name);
  const [asked, setAsked] = useState({ year: years[0] ?? '', page: firstPage });
  const year = Number.parseInt(asked.year, 10);
  const payees = useQuery(das2Query(year, asked.page));
  const settings = useQuery(das2SettingsQuery);
  const [isSetting, setIsSetting] = useState(false);
  const columns = useMemo(
    (): readonly DataColumn<Das2Payee>[] => [
      {
        id: 'nom',
        header: t('Bénéficiaire'),
        width: 'wide',
        card: 'title',
        cell: ({ id, fullName, role, status, siren }) => (
          <>
            {role === 'admin' ? (
              fullName
            ) : (
              <PersonLink role={role} id={id}>
                {fullName}
              </PersonLink>
            )}
            {status === null ? (
              <span className="block text-xs text-encre-soft">
                {t('Statut inconnu')}
                {role !== 'admin' && (
                  <>
                    {' · '}
                    <PersonLink role={role} id={id}>
                      {t('l’indiquer')}
                      <span className="sr-only"> {t('pour {{name}}', { name: fullName })}</span>
                    </PersonLink>
                  </>
                )}
              </span>
            ) : (
              <Cell
                text={[t(payeeStatusLabels[status]), ...(siren === null ? [] : [sirenText(siren)])].join(' · ')}
                className="text-xs text-encre-soft"
              />
            )}
          </>
        ),
      },
      {
        id: 'compte',
        header: t('Compté'),
        align: 'right',
        cell: ({ paid, counted }) => (
          <>
            <Amount cents={counted} className="font-medium" />
            {paid !== counted && (
              <span className="block text-xs text-encre-soft">
                {t('payé {{amount}}', { amount: formatEuros(paid) })}
              </span>
            )}
          </>
        ),
      },
      {
        id: 'etat',
        header: t('État'),
        cell: (payee) => {
          const state = das2State(year, payee);
          const { tone, icon } = looks[state];
          return (
            <Badge tone={tone} icon={icon}>
              {t(das2StateLabels[state])}
            </Badge>
          );
        },
      },
      {
        id: 'remarque',
        header: t('Ce qui manque'),
        width: 'wide',
        cell: (payee) => {
          const reason = das2Reason(year, payee);
          const missing = das2Missing(das2State(year, payee), { isKnown: payee.status !== null });
          const what = missing === null ? null : t('Il manque : {{what}}', { what: missing });
          return reason === null ? (
            <Cell text={what ?? t('Rien ne manque')} />
          ) : (
            <Cell text={t(reason)} second={what} />
          );
        },
      },
    ],
    [t, year],
  );
  return (
    <Card className={className}>
      <StaleNotice query={payees} />
      <DataTable<Das2Payee>
        title={t('Déclaration DAS2')}
        caption={t('Déclaration DAS2')}
        columns={columns}
        rows={payees.data?.rows}
        rowKey={(payee) => payee.id}
        failed={payees.isLoadingError}
        onRetry={refresh}
        refreshing={payees.isPlaceholderData || (payees.isLoadingError && payees.isFetching)}
        server={{ page: payees.data, onMove: (page) => setAsked({ ...asked, page }) }}
        toolbar={
          <>
            <div className="w-28">
              <Select
                label={t('Année de la DAS2')}
                size="sm"
                options={years.map((value) => ({ value, label: value }))}
                value={asked.year}
                onValueChange={(value) => setAsked({ year: value, page: firstPage })}
              />
            </div>
            <Button
              size="sm"
              icon={<FileSpreadsheet aria-hidden />}
              disabled={!payees.data?.rowCount}
              pending={pending === asked.year}
              aria-label={t('CSV de la DAS2 {{year}}', { year: asked.year })}
              onClick={() => void start(asked.year, (signal) => downloadDas2(year, signal))}
            >
              CSV
            </Button>
            <Button
              size="sm"
              icon={<Settings2 aria-hidden />}
              disabled={settings.data === undefined}
              onClick={() => setIsSetting(true)}
            >
              {t('Réglages de la DAS2')}
            </Button>
          </>
        }
        empty={<EmptyState icon={<Landmark />} title={t('Aucun paiement en {{year}}', { year: asked.year })} />}
      />
      <p className="border-t border-hairline px-4 py-3 text-sm text-encre-soft sm:px-5">
        {t(
          'Sommes payées dans l’année, retours déduits, avec la TVA versée et sans celle que le bénéficiaire facture à part. Au-delà de {{threshold}} TTC par bénéficiaire, elles se déclarent : votre comptable décide.',
          { threshold: das2ThresholdText(year) },
        )}{' '}
        {t(
          'Un statut inconnu s’indique sur la fiche de la personne, à « Informations légales » : un salarié est alors exclu.',
        )}
      </p>
      {isSetting && settings.data && <Das2Dialog settings={settings.data} onClose={() => setIsSetting(false)} />}
    </Card>
  );
}

const looks: Readonly<Record<Das2State, { tone: BadgeTone; icon: ReactNode }>> = {
  over: { tone: 'red', icon: <FileText aria-hidden /> },
  near: { tone: 'amber', icon: <TriangleAlert aria-hidden /> },
  under: { tone: 'neutral', icon: <CircleCheck aria-hidden /> },
  left_out: { tone: 'neutral', icon: <CircleSlash aria-hidden /> },
};
