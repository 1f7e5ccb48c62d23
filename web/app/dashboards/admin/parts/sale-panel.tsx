import { callChoiceLabel, callChoiceText } from '@parrain/domain/call-consent';
import {
  commissionAmount,
  explainCommission,
  formatCommissionSide,
  type CommissionSide,
} from '@parrain/domain/commission';
import { contractIncreased, contractReduced, emailMissing, validationCancelled } from '@parrain/domain/messages';
import { formatEuros, sum, type Cents } from '@parrain/domain/money';
import {
  correctionLabel,
  isAdded,
  isAwaitingValidation,
  isCancellable,
  isOpen,
  referrerName,
  type Sale,
} from '@parrain/domain/sale';
import { shortId } from '@parrain/domain/short-id';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { namesQuery } from '#api/people/names';
import { externalReferencesQuery } from '#api/sales/external-references';
import { saleQuery, type SaleDetail } from '#api/sales/sale';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { Facts } from '#ui/facts';
import { Notice } from '#ui/notice';
import { SidePanel, type Neighbours } from '#ui/side-panel';
import { AbsentRecord } from '../../parts/absent-record.tsx';
import { CommissionExplain } from '../../parts/commission-explain.tsx';
import { CorrectionNotice } from '../../parts/correction-notice.tsx';
import { SaleStatus } from '../../parts/sale-status.tsx';
import { TextBlock } from '../../parts/text-block.tsx';
import { useLast } from '../../parts/use-last.ts';
import { ActionButton } from '../../shell/actions.tsx';
import { saleActions } from '../actions.tsx';
import { AuditTimeline } from './audit-timeline.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { CorrectDialog } from './correct-dialog.tsx';
import { DoubtNotice } from './doubt-notice.tsx';
import { PersonLink } from './person-link.tsx';
import { RefusedReferrers } from './refused-referrers.tsx';
import { DecisionDialogs, type SaleDecision } from './sale-decision.tsx';

export interface SalePanelProps {
  saleId: string | undefined;
  onClose: () => void;
  /** Leads to the entry that corrects this one, or that it corrects. */
  onOpenSale: (saleId: string) => void;
  neighbours?: Neighbours | undefined;
  /** The sale was validated or refused here: the place to go on to the next contract. */
  onDecided?: (() => void) | undefined;
}

/** Three decisions stand in one line. */
const narrow = 'sm:px-3';

/** All about one sale: the contract, how its commissions were computed, and its history (AD-07, X-03). */
export function SalePanel({ saleId, onClose, onOpenSale, neighbours, onDecided }: SalePanelProps) {
  const { t } = useTranslation();
  const shownId = useLast(saleId);
  const detail = useQuery({ ...saleQuery(shownId ?? ''), enabled: saleId !== undefined });
  const [changing, setChanging] = useState<'cancel' | 'correct'>();
  const [decision, setDecision] = useState<SaleDecision>();
  const sale = detail.data?.sale;
  const cancellable = sale !== undefined && isCancellable(sale) && detail.data?.contractLeft !== 0n;
  const footer =
    sale === undefined ? undefined : cancellable ? (
      <>
        <ActionButton action={saleActions.cancelValidation} onRun={() => setChanging('cancel')} />
        <ActionButton action={saleActions.correct} onRun={() => setChanging('correct')} />
      </>
    ) : isAwaitingValidation(sale) ? (
      <>
        <ActionButton
          className={narrow}
          action={saleActions.refuse}
          onRun={() => setDecision({ kind: 'refuse', sale })}
        />
        <ActionButton
          className={narrow}
          action={saleActions.askCorrection}
          onRun={() => setDecision({ kind: 'ask', sale })}
        />
        <ActionButton
          className={narrow}
          variant="primary"
          action={saleActions.validate}
          onRun={() => setDecision({ kind: 'validate', sale })}
        />
      </>
    ) : undefined;
  return (
    <SidePanel
      open={saleId !== undefined}
      onOpenChange={onClose}
      title={sale?.referredContactName ?? t('Vente')}
      subtitle={
        shownId !== undefined && <span className="tabular-digits">{t('Vente {{id}}', { id: shortId(shownId) })}</span>
      }
      footer={footer}
      neighbours={neighbours}
    >
      {detail.data === undefined ? (
        <AbsentRecord
          query={detail}
          goneTitle={t('Cette vente n’existe plus')}
          goneDescription={t('Elle a été supprimée, ou cette adresse ne mène à aucune vente.')}
          onClose={onClose}
          loading={t('Chargement : vente')}
          skeletons={['h-7 w-40', 'h-48 w-full', 'h-32 w-full']}
        />
      ) : (
        <div className="flex flex-col gap-7">
          <DoubtNotice about="sale_id" id={detail.data.sale.id} />
          <Contract detail={detail.data} onOpenSale={onOpenSale} />
          <CommissionBlock detail={detail.data} />
          <RefusedReferrers sale={detail.data.sale} />
          <section>
            <h3 className="mb-3 text-lg">{t('Historique')}</h3>
            <AuditTimeline
              entity="sales"
              entityId={[detail.data.sale.id, ...detail.data.corrections.map(({ id }) => id)]}
            />
          </section>
          {decision && (
            <DecisionDialogs
              decision={decision}
              latest={detail.data.sale}
              onClose={() => setDecision(undefined)}
              onDecided={onDecided}
            />
          )}
          {changing === 'cancel' && <CancelDialog detail={detail.data} onClose={() => setChanging(undefined)} />}
          {changing === 'correct' && <CorrectDialog detail={detail.data} onClose={() => setChanging(undefined)} />}
        </div>
      )}
    </SidePanel>
  );
}

function Contract({
  detail: { sale, corrections, contractLeft, correction: asked, followUp, callAnswer },
  onOpenSale,
}: {
  detail: SaleDetail;
  onOpenSale: (saleId: string) => void;
}) {
  const { t } = useTranslation();
  // Of a contract that was taken back whole, its amount stands.
  const isAmended = corrections.length > 0 && contractLeft !== 0n;
  const { data: references = [] } = useQuery(externalReferencesQuery(sale.id));
  const { data: names } = useQuery({ ...namesQuery([sale.validatedBy]), enabled: sale.validatedBy !== null });
  return (
    <section className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SaleStatus sale={sale} audience="admin" />
        {sale.contractAmount !== null && (
          <span className="text-right">
            <Amount
              cents={isAmended ? contractLeft : sale.contractAmount}
              className="font-heading text-xl font-semibold"
            />
            {isAmended && (
              <span className="block text-sm text-encre-soft">
                {t('signé pour {{amount}}', { amount: formatEuros(sale.contractAmount) })}
              </span>
            )}
          </span>
        )}
      </div>
      {sale.rejectionReason !== null && (
        <Notice tone="error" title={t('Raison du refus')}>
          <span className="break-words whitespace-pre-line">{sale.rejectionReason}</span>
        </Notice>
      )}
      {asked !== null && (isOpen(sale) || isAwaitingValidation(sale)) && <CorrectionNotice correction={asked} />}
      {corrections.map((correction) => (
        <Notice
          key={correction.id}
          tone="warning"
          title={
            correction.contractLeft === 0n
              ? t(validationCancelled)
              : t('{{label}} à {{amount}}', {
                  label: t(isAdded(correction.amount) ? contractIncreased : contractReduced),
                  amount: formatEuros(correction.contractLeft),
                })
          }
          action={
            <Button size="sm" icon={<ArrowUpRight />} onClick={() => onOpenSale(correction.id)}>
              {t('Voir l’écriture')}
            </Button>
          }
        >
          <DateText value={correction.at} withTime />
          {correction.reason !== null && <span className="break-words"> · « {correction.reason} »</span>}
        </Notice>
      ))}
      {sale.correctsSaleId !== null && (
        <Notice
          title={t('{{entry}} : {{label}}', {
            entry: t(isAdded(sale.contractAmount) ? 'Écriture de correction' : 'Écriture inverse'),
            label: t(correctionLabel(sale)).toLowerCase(),
          })}
          action={
            <Button
              size="sm"
              icon={<ArrowUpRight />}
              onClick={() => sale.correctsSaleId !== null && onOpenSale(sale.correctsSaleId)}
            >
              {t('Voir la vente d’origine')}
            </Button>
          }
        >
          {sale.correctionReason !== null && <span className="break-words">« {sale.correctionReason} »</span>}
        </Notice>
      )}
      <Facts
        items={[
          { label: t('E-mail'), value: sale.referredContactEmail ?? <Faint>{t(emailMissing)}</Faint> },
          { label: t('Téléphone'), value: sale.referredContactPhone ?? <Faint>{t('Non renseigné')}</Faint> },
          ...(callAnswer === null
            ? []
            : [{ label: t(callChoiceLabel(callAnswer)), value: t(callChoiceText(callAnswer)) }]),
          {
            label: t('Parrain'),
            value:
              referrerName(sale) === null ? (
                <Faint>{t('Aucun')}</Faint>
              ) : (
                <PersonLink role="client" id={sale.friendReferrerId ?? sale.clientReferrerId}>
                  {referrerName(sale)}
                </PersonLink>
              ),
          },
          {
            label: t('Commercial'),
            value:
              sale.commercialName === null ? (
                <Faint>{t('Aucun')}</Faint>
              ) : (
                <PersonLink role="commercial" id={sale.commercialId}>
                  {sale.commercialName}
                </PersonLink>
              ),
          },
          {
            label: sale.correctsSaleId === null ? t('Reçu le') : t('Enregistrée le'),
            value: <DateText value={sale.createdAt} withTime />,
          },
          ...references.map(({ source, reference }) => ({
            label: t('Référence dans {{tool}}', { tool: source }),
            value: <span className="wrap-anywhere">{reference}</span>,
          })),
          ...(isOpen(sale) && followUp?.callBackOn
            ? [{ label: t('À relancer le'), value: <DateText value={`${followUp.callBackOn}T12:00:00`} /> }]
            : []),
          ...(sale.validatedAt === null
            ? []
            : [
                { label: t('Validé le'), value: <DateText value={sale.validatedAt} withTime /> },
                {
                  label: t('Validé par'),
                  value: (sale.validatedBy !== null && names?.get(sale.validatedBy)) || <Faint>—</Faint>,
                },
              ]),
        ]}
      />
      <TextBlock label={t('Contrat')} text={sale.contractDescription} />
      <TextBlock label={t('Message du parrain')} text={sale.personalMessage} />
      <TextBlock label={t('Notes du commercial, que le parrain peut lire')} text={sale.commercialNotes} />
      <TextBlock label={t('Note privée du commercial')} text={followUp?.note ?? null} />
    </section>
  );
}

/** Computation of each commission, to the cent; a forecast until the contract is validated. */
function CommissionBlock({ detail: { sale, scaleName, short, corrections } }: { detail: SaleDetail }) {
  const { t } = useTranslation();
  const { scale, contractAmount, clientCommissionAmount: forClient, commercialCommissionAmount: forCommercial } = sale;
  if (scale === null || contractAmount === null || forClient === null || forCommercial === null) return null;
  const client = referrerName(sale);
  return (
    <section>
      <div className="mb-3">
        <h3 className="text-lg">{sale.adminValidated ? t('Commissions') : t('Commissions prévues')}</h3>
        <p className="text-sm text-encre-soft">
          {t('« {{name}} » : {{client}} client, {{commercial}} commercial', {
            name: scaleName ?? '',
            client: short?.client ?? formatCommissionSide(scale.client),
            commercial: short?.commercial ?? formatCommissionSide(scale.commercial),
          })}
        </p>
      </div>
      <dl className="divide-y divide-hairline rounded-field border border-hairline">
        <CommissionLine
          who={client ?? t('Aucun parrain')}
          part={t('Client')}
          none={client === null ? t('Personne n’a parrainé : aucune commission client') : undefined}
          sale={sale}
          side="client"
          left={forClient + sum(corrections.map((correction) => correction.client))}
          cents={forClient}
        />
        <CommissionLine
          who={sale.commercialName ?? '—'}
          part={t('Commercial')}
          sale={sale}
          side="commercial"
          left={forCommercial + sum(corrections.map((correction) => correction.commercial))}
          cents={forCommercial}
        />
      </dl>
    </section>
  );
}

function CommissionLine({
  who,
  part,
  none,
  sale,
  side,
  left,
  cents,
}: {
  who: string;
  part: string;
  /** Why there is none. */
  none?: string | undefined;
  sale: Sale;
  side: 'client' | 'commercial';
  /** Amount that its corrections leave of it. */
  left: Cents;
  cents: Cents;
}) {
  const { t } = useTranslation();
  const terms = sale.scale?.[side];
  return (
    <div className="flex items-start justify-between gap-4 px-4 py-3">
      <dt className="min-w-0">
        <span className="font-medium break-words">{who}</span> <span className="text-encre-faint">· {part}</span>
        <span className="block text-sm text-encre-soft">
          {none ?? (terms && sale.correctsSaleId === null && explained(sale.contractAmount ?? 0n, terms, cents, t))}
        </span>
        {none === undefined && <CommissionExplain sale={sale} side={side} />}
      </dt>
      <dd className="shrink-0 text-right">
        <Amount cents={cents} className="font-medium" />
        {left !== cents && (
          <span className="block text-sm text-encre-soft">
            {t(left > cents ? 'portée à {{amount}}' : 'il en reste {{amount}}', { amount: formatEuros(left) })}
          </span>
        )}
      </dd>
    </div>
  );
}

/** The calculation where the rate alone gives the amount: richer rules are told under « Pourquoi ? » (SC-02). */
function explained(contract: Cents, terms: CommissionSide, cents: Cents, t: (key: string) => string): string {
  const isPlain = commissionAmount(contract, terms) === cents;
  return isPlain ? explainCommission(contract, terms) : t('Selon les paliers, plafonds et primes du barème');
}

function Faint({ children }: { children: ReactNode }) {
  return <span className="font-normal text-encre-faint">{children}</span>;
}
