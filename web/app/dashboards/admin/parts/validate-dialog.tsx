import {
  clientCommissionRecipient,
  exceedsContract,
  explainCommission,
  proposedScale,
  scaleReached,
  type CommissionPaymentType,
  type CommissionRate,
  type Commissions,
} from '@parrain/domain/commission';
import { failureMessage } from '@parrain/domain/failure';
import { contractValidated, contractValidatedDetail, saleValidationFailed } from '@parrain/domain/messages';
import { formatEuros } from '@parrain/domain/money';
import { isAwaitingValidation, referrerName, type Sale } from '@parrain/domain/sale';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, reasonOf } from '#api/transport/api-error';
import { liveCommissionRatesQuery, type Scale } from '#api/scales/commission-rates';
import { refresh } from '#api/transport/refresh';
import { readSale } from '#api/sales/sale';
import { useProfile } from '#api/transport/session';
import type { CommissionTerms } from '#api/sales/commission-terms';
import { validateSale } from '#api/sales/validate-sale';
import { Amount } from '#ui/amount';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Dialog } from '#ui/dialog';
import { Explain } from '#ui/explain';
import { ErrorState } from '#ui/error-state';
import { Facts } from '#ui/facts';
import { Field } from '#ui/field';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { Select } from '#ui/select';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { ofName } from '@parrain/domain/of-name';
import { CommissionExplain } from '../../parts/commission-explain.tsx';
import { StandingNotice } from './standing.tsx';
import { isRich, useGains } from './use-gains.ts';
import type { ChosenVersion } from './version-choice.tsx';

const CommissionWhy = lazyPart(() => import('../../parts/commission-why.tsx'));
const VersionChoice = lazyPart(() => import('./version-choice.tsx'));

export interface ValidateDialogProps {
  /** The contract as it was when the dialog opened: what is validated is what was seen (AD-12). */
  sale: Sale;
  /** The same contract as the list knows it now, which may have changed behind the dialog. */
  latest: Sale | undefined;
  onClose: () => void;
  /** The decision is made: the place to go on to the next contract. */
  onDecided?: (() => void) | undefined;
}

/** AD-12: the contract, the scale, and both amounts exactly as they will be recorded, with who receives them. */
export function ValidateDialog({ sale: opened, latest, onClose, onDecided }: ValidateDialogProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const scales = useQuery(liveCommissionRatesQuery);
  const [seen, setSeen] = useState(opened);
  const [lookAgain, setLookAgain] = useState(false);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [asksOnceMore, setAsksOnceMore] = useState(false);
  const [version, setVersion] = useState<ChosenVersion | null>(null);
  const chosen =
    scales.data &&
    withVersion(chosenScale(scales.data.rows, chosenId, seen.contractAmount ?? 0n, seen.commissionRateId), version);
  const changed = latest !== undefined && latest.version !== seen.version;
  const obstacle = obstacleOf(seen, profile.id);
  const amount = seen.contractAmount ?? 0n;
  const versionId = version !== null && version.scaleId === chosen?.id ? version.version.id : null;
  const { commissions, preview } = useGains(seen, chosen, versionId);
  const isCostly = commissions !== undefined && exceedsContract(amount, commissions);

  const validation = useMutation({
    mutationFn: async ({ scale, gives }: { scale: Scale; gives: Commissions }) =>
      validateSale({
        saleId: seen.id,
        commissionRateId: scale.id,
        seenVersion: seen.version,
        contractAmount: amount,
        commissions: gives,
        version: version?.scaleId === scale.id ? { id: version.version.id, reason: version.reason } : undefined,
      }),
    onSuccess: ({ already }) => {
      if (already)
        toast.info(t('Ce contrat était déjà validé'), { description: t('Rien n’a été enregistré une seconde fois.') });
      else toast.success(t(contractValidated), { description: t(contractValidatedDetail) });
      onClose();
      onDecided?.();
    },
    onSettled: () => setAsksOnceMore(false),
    onError: async (error) => {
      if (!(error instanceof ApiError) || error.code !== 'sale_changed') return;
      // Another scale version counts as a change too: both are read again, then looked at again.
      refresh();
      setLookAgain(true);
      try {
        setSeen(await readSale(seen.id));
      } catch {
        // The list, read again too, tells the same a moment later (`latest`).
      }
    },
  });
  const validate = () => chosen && commissions && validation.mutate({ scale: chosen, gives: commissions });
  const error = validation.error;
  const saleChanged = error instanceof ApiError && error.code === 'sale_changed';
  const decidedElsewhere = !isAwaitingValidation(seen);

  return (
    <Dialog
      open
      onOpenChange={() => !validation.isPending && onClose()}
      title={t('Valider le contrat {{ofName}} ?', { ofName: ofName(seen.referredContactName) })}
      description={t(
        'Les commissions sont créées telles qu’elles s’affichent ici. Ensuite, la vente ne se modifie plus.',
      )}
      footer={
        <>
          <Button onClick={onClose} disabled={validation.isPending}>
            {decidedElsewhere ? t('Fermer') : t('Annuler')}
          </Button>
          {!decidedElsewhere && (
            <Button
              variant="primary"
              pending={validation.isPending}
              disabled={commissions === undefined || obstacle !== null || changed || version?.reason.trim() === ''}
              onClick={() => (isCostly ? setAsksOnceMore(true) : validate())}
            >
              {t('Valider le contrat')}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-5">
        {decidedElsewhere ? (
          <Notice tone="warning">{failureMessage('sale_already_decided')}</Notice>
        ) : (
          (changed || lookAgain) && (
            <Notice
              tone="warning"
              action={
                changed &&
                latest && (
                  <Button
                    size="sm"
                    onClick={() => {
                      setSeen(latest);
                      setLookAgain(true);
                      validation.reset();
                    }}
                  >
                    {t('Afficher la version à jour')}
                  </Button>
                )
              }
            >
              {failureMessage('sale_changed')}
            </Notice>
          )
        )}
        {!decidedElsewhere && <StandingNotice standing={(latest ?? seen).standing} decision="validated" />}
        {error !== null && !saleChanged && <Notice tone="error">{saleValidationFailed(reasonOf(error))}</Notice>}
        <div>
          <div className="flex flex-wrap items-baseline justify-between gap-x-4">
            <h3 className="text-lg">{t('Le contrat')}</h3>
            <Amount cents={amount} className="font-heading text-xl font-semibold" />
          </div>
          <Facts
            className="mt-1"
            items={[
              {
                label: t('Description'),
                value: <span className="whitespace-pre-line">{seen.contractDescription}</span>,
              },
              { label: t('Commercial'), value: seen.commercialName ?? t('Aucun') },
              { label: t('Parrain'), value: referrerName(seen) ?? t('Aucun') },
            ]}
          />
        </div>
        {scales.data === undefined ? (
          scales.isError ? (
            <ErrorState onRetry={() => void scales.refetch()} pending={scales.isFetching} />
          ) : (
            <Skeleton className="h-40 w-full" />
          )
        ) : (
          <>
            {scales.data.rows.length > 0 && (
              <Field label={t('Barème')} hint={hintOf(t, chosen, scales.data.rows, seen)}>
                <Select
                  value={chosen?.id ?? null}
                  onValueChange={(id) => {
                    setChosenId(id);
                    setVersion(null);
                  }}
                  options={scaleOptions(scales.data.rows, t)}
                />
              </Field>
            )}
            {chosen && !decidedElsewhere && (
              <VersionChoice key={chosen.id} scaleId={chosen.id} chosen={version} onChange={setVersion} />
            )}
            {/* Under the choice that makes it, and in sight before the button. */}
            {chosen && commissions && !decidedElsewhere && (
              <Difference sale={seen} chosen={chosen} gives={commissions} scales={scales.data.rows} />
            )}
            {chosen && commissions && (
              <Receipt sale={seen} scale={chosen} commissions={commissions} terms={preview?.data?.terms ?? {}} />
            )}
            {preview !== null &&
              commissions === undefined &&
              (preview.isError ? (
                <ErrorState
                  description={reasonOf(preview.error)}
                  onRetry={() => void preview.refetch()}
                  pending={preview.isFetching}
                />
              ) : (
                <Skeleton className="h-40 w-full" />
              ))}
            {isCostly && !decidedElsewhere && (
              <Notice tone="warning">
                {t('Les commissions ({{commissions}}) dépassent le montant du contrat ({{contract}}).', {
                  commissions: formatEuros(commissions.client + commissions.commercial),
                  contract: formatEuros(amount),
                })}
              </Notice>
            )}
          </>
        )}
        {obstacle !== null && !decidedElsewhere && <Notice tone="error">{t(obstacle)}</Notice>}
      </div>
      {commissions && (
        <ConfirmDialog
          open={asksOnceMore && isCostly && !changed}
          onOpenChange={() => setAsksOnceMore(false)}
          tone="primary"
          title={t('Valider un contrat qui rapporte moins que ses commissions ?')}
          description={t('Contrat de {{contract}}, commissions de {{commissions}} : l’écart est de {{gap}}.', {
            contract: formatEuros(amount),
            commissions: formatEuros(commissions.client + commissions.commercial),
            gap: formatEuros(commissions.client + commissions.commercial - amount),
          })}
          confirmLabel={t('Valider quand même')}
          pending={validation.isPending}
          onConfirm={validate}
        />
      )}
    </Dialog>
  );
}

interface ReceiptProps {
  sale: Sale;
  scale: Scale;
  commissions: Commissions;
  /** Of the sides whose rules are more than a rate or an amount (SC-02). */
  terms: CommissionTerms;
}

/** Both commissions, computed as the database will compute them (M-01, M-02). */
function Receipt({ sale, scale: { scale }, commissions, terms }: ReceiptProps) {
  const { t } = useTranslation();
  const contractAmount = sale.contractAmount ?? 0n;
  const hasReferrer = clientCommissionRecipient(sale) !== null;
  // As it will be kept: with the scale that is chosen here.
  const previewed: Sale = {
    ...sale,
    scale,
    clientCommissionAmount: commissions.client,
    commercialCommissionAmount: commissions.commercial,
  };
  const explained = (side: CommissionPaymentType) =>
    terms[side] === undefined ? (
      <CommissionExplain sale={previewed} side={side} />
    ) : (
      <Explain
        title={t('Calcul, si vous validez maintenant')}
        of={side === 'client' ? t('part client') : t('part commercial')}
      >
        <CommissionWhy saleId={sale.id} sale={previewed} side={side} ruled={terms[side]} />
      </Explain>
    );
  const why = (side: CommissionPaymentType) =>
    terms[side]?.stepsText(contractAmount) ?? explainCommission(contractAmount, scale[side]);
  return (
    <section
      aria-label={t('Ce qui sera enregistré')}
      aria-live="polite"
      className="rounded-field border border-sapin/35 bg-sapin-tint"
    >
      <h3 className="border-b border-sapin/20 px-4 py-2.5 font-sans text-sm font-medium tracking-normal text-sapin-strong">
        {t('Ce qui sera enregistré')}
      </h3>
      <dl className="divide-y divide-sapin/20 px-4">
        <Line
          who={referrerName(sale) ?? t('Aucun parrain')}
          part={t('Commission client')}
          why={hasReferrer ? why('client') : t('Personne n’a parrainé ce contact')}
          cents={commissions.client}
          explain={hasReferrer && explained('client')}
        />
        <Line
          who={sale.commercialName ?? t('Aucun commercial')}
          part={t('Commission commercial')}
          why={why('commercial')}
          cents={commissions.commercial}
          explain={explained('commercial')}
        />
        <div className="flex items-baseline justify-between gap-4 py-3 font-medium">
          <dt>{t('Total des commissions')}</dt>
          <dd>
            <Amount cents={commissions.client + commissions.commercial} />
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Line({
  who,
  part,
  why,
  cents,
  explain,
}: {
  who: string;
  part: string;
  why: string;
  cents: bigint;
  explain: ReactNode;
}) {
  return (
    <div className="flex items-start justify-between gap-4 py-3">
      <dt className="min-w-0">
        <span className="font-medium break-words">{who}</span>
        <span className="block text-sm text-encre-soft">
          {part} · {why}
        </span>
        {explain}
      </dt>
      <dd className="shrink-0">
        <Amount cents={cents} className="font-heading text-lg font-semibold" />
      </dd>
    </div>
  );
}

/** Notice of what the chosen scale changes: the forecast that the commercial was shown, and a threshold that the contract reaches. */
function Difference({
  sale,
  chosen,
  gives,
  scales,
}: {
  sale: Sale;
  chosen: Scale;
  gives: Commissions;
  scales: readonly CommissionRate[];
}) {
  const { t } = useTranslation();
  const amount = sale.contractAmount ?? 0n;
  const reached = scaleReached(scales, amount);
  const ignored = reached !== undefined && reached.id !== chosen.id ? reached : undefined;
  const changes =
    sale.commissionRateId === chosen.id && !isRich(chosen)
      ? []
      : [
          { who: t('Client'), before: sale.clientCommissionAmount, after: gives.client },
          { who: t('Commercial'), before: sale.commercialCommissionAmount, after: gives.commercial },
        ].flatMap(({ who, before, after }) => (before === null || before === after ? [] : [{ who, before, after }]));
  if (ignored === undefined && changes.length === 0) return null;
  return (
    <Notice tone="warning" title={changes.length > 0 ? t('La prévision affichée jusqu’ici change') : undefined}>
      {changes.map(({ who, before, after }) => (
        <p key={who}>
          {t('{{who}} : {{after}} au lieu de {{before}} ({{gap}})', {
            who,
            after: formatEuros(after),
            before: formatEuros(before),
            gap: `${after > before ? '+' : ''}${formatEuros(after - before)}`,
          })}
        </p>
      ))}
      {ignored !== undefined && ignored.fromContractAmount !== null && (
        <p>
          {t('Ce contrat atteint {{threshold}} : « {{name}} » est prévu à partir de ce montant.', {
            threshold: formatEuros(ignored.fromContractAmount),
            name: ignored.name,
          })}
        </p>
      )}
    </Notice>
  );
}

/** The scales to choose among, each with what it gives. */
export function scaleOptions(scales: readonly Scale[], t: TFunction) {
  return scales.map((scale) => {
    const description = t('{{client}} client · {{commercial}} commercial', {
      client: scale.short.client,
      commercial: scale.short.commercial,
    });
    return {
      value: scale.id,
      label: scale.isDefault ? t('{{name}} (par défaut)', { name: scale.name }) : scale.name,
      description:
        scale.fromContractAmount === null
          ? description
          : t('{{sides}} · à partir de {{threshold}}', {
              sides: description,
              threshold: formatEuros(scale.fromContractAmount),
            }),
    };
  });
}

/** The scale picked here, else the one that the contract is proposed. */
export function chosenScale(
  scales: readonly Scale[],
  chosenId: string | null,
  contractAmount: bigint,
  forecastId: string | null,
): Scale | undefined {
  return scales.find((scale) => scale.id === chosenId) ?? proposedScale(scales, contractAmount, forecastId);
}

/** The scale with the terms of another version of its own, where one is chosen (SC-01). */
function withVersion(scale: Scale | undefined, chosen: ChosenVersion | null): Scale | undefined {
  return scale && chosen?.scaleId === scale.id ? { ...scale, scale: chosen.version.scale } : scale;
}

/** The obstacle to this validation, in the server's words; null without one. */
export function obstacleOf(sale: Sale, adminId: string): string | null {
  if (sale.commercialId === null) return failureMessage('sale_without_commercial');
  const isOwn = [sale.commercialId, sale.clientReferrerId, sale.friendReferrerId].includes(adminId);
  return isOwn ? failureMessage('self_validation') : null;
}

function hintOf(
  t: TFunction,
  chosen: CommissionRate | undefined,
  scales: readonly CommissionRate[],
  { contractAmount, commissionRateId }: Sale,
): string | undefined {
  const reached = scaleReached(scales, contractAmount ?? 0n);
  if (reached !== undefined && reached.fromContractAmount !== null && reached.id === chosen?.id)
    return t('Proposé pour les contrats à partir de {{threshold}}.', {
      threshold: formatEuros(reached.fromContractAmount),
    });
  const forecast = scales.find((scale) => scale.id === commissionRateId);
  if (forecast === undefined || forecast.id === chosen?.id) return undefined;
  return t('La prévision affichée au commercial utilise « {{name}} ».', { name: forecast.name });
}
