import { useQuery } from '@tanstack/react-query';
import { BadgeCheck, BriefcaseBusiness, Coins, HandCoins, ReceiptText, TrendingUp, Users } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { adminFiguresQuery } from '#api/company/admin-figures';
import { Amount } from '#ui/amount';
import { Explain } from '#ui/explain';
import { FigureCard, FigureGrid } from '#ui/figure-card';
import { PageHeader } from '#ui/page-header';
import { groupThousands } from '@parrain/domain/money';
import { StaleNotice } from '../../parts/stale-notice.tsx';
import type { SectionProps } from '../../shell/sections.ts';
import { ClosureRequests } from './closure-requests.tsx';
import { SystemAlarms } from './system-alarms.tsx';
import { ToDo } from './to-do.tsx';

/** AD-03: what waits for the admin first, then the figures of the company; each leads to the rows behind it. */
export default function VueDEnsemble({ openSection }: SectionProps) {
  const { t } = useTranslation();
  const figures = useQuery(adminFiguresQuery);
  const { data } = figures;
  const failed = figures.isError && data === undefined;
  return (
    <>
      <PageHeader title={t("Vue d'ensemble")} description={data && <UpdatedAt at={figures.dataUpdatedAt} />} />
      <StaleNotice query={figures} />
      <SystemAlarms openSection={openSection} />
      <ToDo figures={figures} openSection={openSection} />
      <ClosureRequests />
      <h3 className="mt-8 mb-3 text-lg">{t('Les chiffres')}</h3>
      <FigureGrid>
        <FigureCard
          label={t('Ventes validées')}
          icon={<BadgeCheck aria-hidden />}
          value={data && groupThousands(String(data.validatedSalesCount))}
          failed={failed}
          action={{
            label: t('Voir les ventes validées'),
            onClick: () => openSection('ventes', { statut: 'validated' }),
          }}
        />
        <FigureCard
          label={t('CA Total')}
          icon={<TrendingUp aria-hidden />}
          value={data && <Amount cents={data.revenue} />}
          note={
            <Why title={t('CA Total')}>
              {t('La somme des montants des contrats validés par vous, moins ceux dont la validation a été annulée.')}
            </Why>
          }
          failed={failed}
          action={{
            label: t('Voir les contrats'),
            onClick: () => openSection('ventes', { statut: 'validated', tri: 'contract_amount', sens: 'desc' }),
          }}
        />
        <FigureCard
          label={t('Commerciaux')}
          icon={<BriefcaseBusiness aria-hidden />}
          value={data && groupThousands(String(data.commercialsCount))}
          failed={failed}
          action={{ label: t('Voir les commerciaux'), onClick: () => openSection('commerciaux') }}
        />
        <FigureCard
          label={t('Clients')}
          icon={<Users aria-hidden />}
          value={data && groupThousands(String(data.clientsCount))}
          failed={failed}
          action={{ label: t('Voir les clients'), onClick: () => openSection('clients') }}
        />
        <FigureCard
          label={t('Commissions en attente')}
          icon={<Coins aria-hidden />}
          value={data && <Amount cents={data.pendingCommissions} />}
          note={
            <Why title={t('Commissions en attente')}>
              {t(
                'Les commissions des ventes validées, client et commercial, moins les demandes de paiement déjà payées.',
              )}
              {data && (
                <span className="mt-2 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1">
                  <span>{t('Commissions des ventes validées')}</span>
                  <Amount cents={data.paidCommissions} className="text-right" />
                  <span>{t('Demandes payées')}</span>
                  <Amount cents={data.pendingCommissions - data.paidCommissions} className="text-right" />
                  <span className="border-t border-hairline pt-1 font-medium text-encre">{t('En attente')}</span>
                  <Amount
                    cents={data.pendingCommissions}
                    className="border-t border-hairline pt-1 text-right font-medium text-encre"
                  />
                </span>
              )}
            </Why>
          }
          failed={failed}
          action={{
            label: t('Voir les demandes payées'),
            onClick: () => openSection('demandes-de-paiement', { statut: 'paid' }),
          }}
        />
        <FigureCard
          label={t('Commissions payées')}
          icon={<HandCoins aria-hidden />}
          value={data && <Amount cents={data.paidCommissions} />}
          note={
            <Why title={t('Commissions payées')}>
              {t(
                "La somme des commissions créditées aux clients et aux commerciaux à la validation de leurs ventes. Ce qui a réellement quitté l'entreprise se lit dans les demandes de paiement payées.",
              )}
            </Why>
          }
          failed={failed}
          action={{ label: t('Voir les commissions'), onClick: () => openSection('commissions', { vue: 'creditees' }) }}
        />
      </FigureGrid>
      {data?.validatedSalesCount === 0 && data.salesToValidateCount === 0 && (
        <p className="mt-6 flex items-start gap-2.5 text-encre-soft">
          <ReceiptText aria-hidden className="mt-0.5 size-4.5 shrink-0 text-encre-faint" />
          {t('Les chiffres se rempliront à la première vente validée.')}
        </p>
      )}
    </>
  );
}

function UpdatedAt({ at }: { at: number }) {
  const { t } = useTranslation();
  return <>{t('Mis à jour à {{time}}', { time: timeFormat.format(at) })}</>;
}

const timeFormat = new Intl.DateTimeFormat('fr-FR', { hour: '2-digit', minute: '2-digit' });

/** « Pourquoi ? » above the card's own way to its rows. */
function Why({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <span className="relative z-1 -ml-1">
      <Explain title={title}>{children}</Explain>
    </span>
  );
}
