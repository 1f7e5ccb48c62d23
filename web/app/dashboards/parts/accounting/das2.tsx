import { countryName } from '@parrain/domain/country';
import {
  das2Missing,
  das2Reason,
  das2RepaidLeft,
  das2State,
  das2StateLabels,
  das2ThresholdText,
  das2ToCheck,
  type Das2State,
} from '@parrain/domain/das2';
import { formatEuros } from '@parrain/domain/money';
import { france, isAbroad, payeeStatusLabel } from '@parrain/domain/payee';
import type { Role } from '@parrain/domain/role';
import { sirenText, siretText } from '@parrain/domain/siren';
import { statementPeriods } from '@parrain/domain/statement';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleSlash, FileSpreadsheet, FileText, Landmark, TriangleAlert } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { das2Query, downloadDas2, type Das2Payee } from '#api/payments/das2';
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
import { Select } from '#ui/select';
import { StaleNotice } from '../stale-notice.tsx';
import { useDownload } from '../use-download.ts';

export interface Das2Props {
  /** Link to a payee on the admin's screen; an accountant reads the names alone. */
  payee?: (payee: { id: string; role: Role; children: ReactNode }) => ReactNode;
  tools?: ReactNode;
  className?: string | undefined;
}

/** PP-04: what each payee was paid in a year, who is to be declared, and who is not and why. */
export function Das2({ payee, tools, className }: Das2Props) {
  const { t } = useTranslation();
  const { pending, start } = useDownload();
  const [now] = useState(() => new Date());
  const first = useQuery(firstAccountLineQuery(null)).data;
  const years = statementPeriods('annee', first ?? now, now).map(({ name }) => name);
  const [asked, setAsked] = useState({ year: years[0] ?? '', page: firstPage });
  const year = Number.parseInt(asked.year, 10);
  const payees = useQuery(das2Query(year, asked.page));
  const columns = useMemo(
    (): readonly DataColumn<Das2Payee>[] => [
      {
        id: 'nom',
        header: t('Bénéficiaire'),
        width: 'wide',
        card: 'title',
        cell: ({ id, fullName, role, status, country, siren, siret }) => (
          <>
            {payee?.({ id, role, children: fullName }) ?? fullName}
            {status === null ? (
              <span className="block text-xs text-encre-soft">
                {t('Statut inconnu')}
                {payee !== undefined && (
                  <>
                    {' · '}
                    {payee({
                      id,
                      role,
                      children: (
                        <>
                          {t('l’indiquer')}
                          <span className="sr-only"> {t('pour {{name}}', { name: fullName })}</span>
                        </>
                      ),
                    })}
                  </>
                )}
              </span>
            ) : (
              <Cell
                text={[
                  t(payeeStatusLabel(status, country ?? france)),
                  ...(country !== null && isAbroad(country) ? [countryName(country)] : []),
                  ...numberText(siret, siren),
                ].join(' · ')}
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
        cell: ({ paid, counted, repaid }) => (
          <>
            <Amount cents={counted} className="font-medium" />
            {paid !== counted && (
              <span className="block text-xs text-encre-soft">
                {t('payé {{amount}}', { amount: formatEuros(paid) })}
              </span>
            )}
            {repaid > 0n && (
              <span className="block text-xs text-encre-soft">
                {t('remboursé {{amount}}', { amount: formatEuros(repaid) })}
              </span>
            )}
          </>
        ),
      },
      {
        id: 'etat',
        header: t('État'),
        cell: (one) => {
          const state = das2State(year, one);
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
        cell: (one) => {
          const reason = das2Reason(year, one);
          const missing = das2Missing(das2State(year, one), one);
          const said = [das2ToCheck(one), das2RepaidLeft(year, one)].flatMap((words) =>
            words === null ? [] : [t(words)],
          );
          if (missing !== null) said.unshift(t('À compléter : {{what}}', { what: t(missing) }));
          if (reason !== null) said.unshift(t(reason));
          return <Cell whole text={said.length === 0 ? t('Rien ne manque') : said.join(' · ')} className="wide:py-2" />;
        },
      },
    ],
    [t, year, payee],
  );
  return (
    <Card className={className}>
      <StaleNotice query={payees} />
      <DataTable<Das2Payee>
        title={t('Déclaration DAS2')}
        caption={t('Déclaration DAS2')}
        columns={columns}
        rows={payees.data?.rows}
        rowKey={({ id }) => id}
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
            {tools}
          </>
        }
        empty={<EmptyState icon={<Landmark />} title={t('Aucun paiement en {{year}}', { year: asked.year })} />}
      />
      <p className="border-t border-hairline px-4 py-3 text-sm text-encre-soft sm:px-5">
        {t(
          'Sommes payées dans l’année, retours et remboursements de dettes déduits, avec la TVA versée et sans celle que le bénéficiaire facture à part. Au-delà de {{threshold}} TTC par bénéficiaire, elles se déclarent : votre comptable décide.',
          { threshold: das2ThresholdText(year) },
        )}
        {payee !== undefined &&
          ` ${t('Un statut inconnu s’indique sur la fiche de la personne, à « Informations légales » : un salarié est alors exclu.')}`}
      </p>
    </Card>
  );
}

const looks: Readonly<Record<Das2State, { tone: BadgeTone; icon: ReactNode }>> = {
  over: { tone: 'red', icon: <FileText aria-hidden /> },
  near: { tone: 'amber', icon: <TriangleAlert aria-hidden /> },
  under: { tone: 'neutral', icon: <CircleCheck aria-hidden /> },
  left_out: { tone: 'neutral', icon: <CircleSlash aria-hidden /> },
};

/** The SIRET, or else the SIREN, or nothing. */
function numberText(siret: string | null, siren: string | null): string[] {
  if (siret !== null) return [siretText(siret)];
  return siren === null ? [] : [sirenText(siren)];
}
