import { zodResolver } from '@hookform/resolvers/zod';
import { commissionsOfSale, exceedsContract, scaleReached, type Commissions } from '@parrain/domain/commission';
import { requiredText } from '@parrain/domain/forms/fields';
import { reasonLengthMax } from '@parrain/domain/forms/limits';
import { refusalReasonRequired } from '@parrain/domain/messages';
import { formatEuros, sum } from '@parrain/domain/money';
import { isAwaitingValidation, type Sale } from '@parrain/domain/sale';
import { setsAside } from '@parrain/domain/standing';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import * as z from 'zod/mini';
import { sendSaleRefusal } from '#api/sales/refuse-sale';
import { sendSaleValidation } from '#api/sales/validate-sale';
import { validationPreviewsQuery } from '#api/sales/preview-commissions';
import { liveCommissionRatesQuery, type Scale } from '#api/scales/commission-rates';
import { reasonOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Amount } from '#ui/amount';
import { ErrorState } from '#ui/error-state';
import { Field } from '#ui/field';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { Select } from '#ui/select';
import { Textarea } from '#ui/textarea';
import { useToast } from '#ui/toast';
import { countText } from '../../parts/count-text.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { SetAside, StandingReasons } from './standing.tsx';
import { isRich } from './use-gains.ts';
import { chosenScale, obstacleOf, scaleOptions } from './validate-dialog.tsx';

export interface BulkContractDecision {
  kind: 'validate' | 'refuse';
  /** As they were seen when they were selected: each is decided on that version. */
  sales: readonly Sale[];
}

interface BulkContractProps {
  sales: readonly Sale[];
  /** These were decided: they leave the selection. */
  onDone: (sales: readonly Sale[]) => void;
  onClose: () => void;
}

/** NV-04: one decision on many contracts: how many and how much, then what became of each. */
export default function BulkContractDialog({
  decision: { kind, sales },
  ...rest
}: Omit<BulkContractProps, 'sales'> & { decision: BulkContractDecision }) {
  return kind === 'validate' ? <ValidateMany sales={sales} {...rest} /> : <RefuseMany sales={sales} {...rest} />;
}

/** The contracts under one scale; those that need a look of their own are named and left to it. */
function ValidateMany({ sales, onDone, onClose }: BulkContractProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const profile = useProfile();
  const scales = useQuery(liveCommissionRatesQuery);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const scale = scales.data && chosenScale(scales.data.rows, chosenId, 0n, null);
  const { lines, previews } = useLines(sales, scale, scales.data?.rows ?? [], profile.id);
  const isAsking = previews?.data === undefined && previews !== null;
  const ready = lines.filter((line) => line.obstacle === null);
  const apart = lines.filter((line) => line.obstacle !== null);
  const total = sum(ready.map(({ amount }) => amount));
  const commissions = sum(ready.map((line) => line.client + line.commercial));
  const readySales = ready.map(({ sale }) => sale);
  const gives = new Map(ready.map(({ id, client, commercial }) => [id, { client, commercial }]));
  return (
    <BulkDialog<Sale, Scale>
      rows={readySales}
      title={t('Valider {{count}} ?', { count: countText(ready.length, t('contrat'), t('contrats')) })}
      description={t(
        'Contrats de {{total}} en tout, {{commissions}} de commissions, créées telles qu’elles s’affichent ici. Ensuite, ces ventes ne se modifient plus.',
        { total: formatEuros(total), commissions: formatEuros(commissions) },
      )}
      tone="primary"
      confirmLabel={t('Valider {{total}}', { total: formatEuros(total) })}
      confirmDisabled={scale === undefined || isAsking || ready.length === 0}
      submit={(go) => scale && go(scale)}
      act={(sale, chosen) =>
        sendSaleValidation({
          saleId: sale.id,
          commissionRateId: chosen.id,
          seenVersion: sale.version,
          contractAmount: sale.contractAmount ?? 0n,
          commissions: gives.get(sale.id) ?? none,
        })
      }
      name={(sale) => <Named sale={sale} />}
      leftTitle={(left, all) => t('Laissés de côté : {{count}} sur {{total}}', { count: left, total: all })}
      onDone={(done) => {
        onDone(done);
        const amounts = ready.filter(({ sale }) => done.includes(sale));
        toast.success(
          done.length > 1 ? t('{{count}} contrats validés', { count: done.length }) : t('Un contrat validé'),
          {
            description: t('{{total}} de contrats, {{commissions}} de commissions', {
              total: formatEuros(sum(amounts.map(({ amount }) => amount))),
              commissions: formatEuros(sum(amounts.map((line) => line.client + line.commercial))),
            }),
          },
        );
      }}
      onClose={onClose}
    >
      {scales.data === undefined ? (
        scales.isError ? (
          <ErrorState onRetry={() => void scales.refetch()} pending={scales.isFetching} />
        ) : (
          <Skeleton className="h-40 w-full" />
        )
      ) : (
        <>
          {scale === undefined ? (
            <Notice tone="error">{t('Créez d’abord un barème : sans lui, aucune commission ne se calcule.')}</Notice>
          ) : (
            <Field
              label={t('Barème, le même pour tous')}
              hint={t('{{client}} pour le client, {{commercial}} pour le commercial.', {
                client: scale.short.client,
                commercial: scale.short.commercial,
              })}
            >
              <Select value={scale.id} onValueChange={setChosenId} options={scaleOptions(scales.data.rows, t)} />
            </Field>
          )}
          <SetAside
            title={t(asideTitle, { count: apart.length })}
            rows={apart}
            name={({ sale }) => <Named sale={sale} />}
            reasons={({ obstacle }) => obstacle}
          />
          {isAsking ? (
            previews.isError ? (
              <ErrorState
                description={reasonOf(previews.error)}
                onRetry={() => void previews.refetch()}
                pending={previews.isFetching}
              />
            ) : (
              <Skeleton className="h-40 w-full" />
            )
          ) : (
            <Contracts
              lines={ready.map(({ sale, client, commercial }) => ({
                sale,
                more: t('{{client}} pour le client, {{commercial}} pour le commercial', {
                  client: formatEuros(client),
                  commercial: formatEuros(commercial),
                }),
              }))}
            />
          )}
        </>
      )}
    </BulkDialog>
  );
}

interface ContractLine {
  id: string;
  sale: Sale;
  amount: bigint;
  client: bigint;
  commercial: bigint;
  /** The reason why it is not decided with the others. */
  obstacle: ReactNode;
}

const none: Commissions = { client: 0n, commercial: 0n };
/** More than one request computes (SC-02). */
const previewsMax = 200;

/**
 * The contracts with what each would earn. By a scale whose rules look at what a payee did before, each counts for those after it, as they
 * are validated one by one: the database says it (SC-02).
 */
function useLines(sales: readonly Sale[], scale: Scale | undefined, scales: readonly Scale[], adminId: string) {
  const { t } = useTranslation();
  const asks = scale !== undefined && isRich(scale);
  const obstacles = new Map(sales.map((sale) => [sale.id, obstacleUnder(scale, sale, scales, adminId, t)]));
  const free = sales.filter(({ id }) => obstacles.get(id) === null);
  const ids = free.slice(0, previewsMax).map(({ id }) => id);
  const previews = useQuery({ ...validationPreviewsQuery(ids, scale?.id ?? ''), enabled: asks && ids.length > 0 });
  const lines = sales.map((sale): ContractLine => {
    const amount = sale.contractAmount ?? 0n;
    const line = { id: sale.id, sale, amount };
    const obstacle = obstacles.get(sale.id) ?? null;
    if (scale === undefined || obstacle !== null) return { ...line, ...none, obstacle };
    if (asks && !ids.includes(sale.id)) return { ...line, ...none, obstacle: t('après les deux cents premiers.') };
    const gives = asks
      ? (previews.data?.get(sale.id) ?? none)
      : commissionsOfSale({ ...sale, contractAmount: amount }, scale.scale);
    const isCostly = exceedsContract(amount, gives);
    return { ...line, ...gives, obstacle: isCostly ? t('ses commissions dépassent le montant du contrat.') : null };
  });
  return { lines, previews: asks && ids.length > 0 ? previews : null };
}

function obstacleUnder(
  scale: Scale | undefined,
  sale: Sale,
  scales: readonly Scale[],
  adminId: string,
  t: TFunction,
): ReactNode {
  if (!isAwaitingValidation(sale)) return t(notAwaiting);
  if (scale === undefined) return null;
  const reached = scaleReached(scales, sale.contractAmount ?? 0n);
  return (
    obstacleOf(sale, adminId) ??
    standingObstacle(sale) ??
    (reached !== undefined && reached.id !== scale.id
      ? t('« {{name}} » est prévu pour ce montant.', { name: reached.name })
      : null)
  );
}

/** DF-40: a doubt is looked at before the contract is validated, one by one. */
function standingObstacle({ standing = [] }: Sale): ReactNode {
  const asides = standing.filter((one) => setsAside(one, 'validated'));
  return asides.length === 0 ? null : <StandingReasons standing={asides} />;
}

const asideTitle = 'Laissés de côté : {{count}}';
const notAwaiting = 'n’attend pas votre décision.';

const refusalSchema = z.object({ reason: requiredText(refusalReasonRequired, reasonLengthMax) });

function RefuseMany({ sales, onDone, onClose }: BulkContractProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const form = useForm({ resolver: zodResolver(refusalSchema), mode: 'onTouched', defaultValues: { reason: '' } });
  const { errors } = form.formState;
  const ready = sales.filter(isAwaitingValidation);
  const apart = sales.filter((sale) => !isAwaitingValidation(sale));
  const total = sum(ready.map((sale) => sale.contractAmount ?? 0n));
  return (
    <BulkDialog<Sale, string>
      rows={ready}
      title={t('Refuser {{count}} ?', { count: countText(ready.length, t('contrat'), t('contrats')) })}
      description={t('Contrats de {{total}} en tout. Aucune commission ne sera créée.', { total: formatEuros(total) })}
      tone="danger"
      confirmLabel={t('Refuser {{total}}', { total: formatEuros(total) })}
      submit={(go) => void form.handleSubmit(({ reason }) => go(reason))()}
      act={sendSaleRefusal}
      name={(sale) => <Named sale={sale} />}
      leftTitle={(left, all) => t('Laissés de côté : {{count}} sur {{total}}', { count: left, total: all })}
      onDone={(done) => {
        onDone(done);
        toast.success(
          done.length > 1 ? t('{{count}} contrats refusés', { count: done.length }) : t('Un contrat refusé'),
          { description: formatEuros(sum(done.map((sale) => sale.contractAmount ?? 0n))) },
        );
      }}
      onClose={onClose}
    >
      <SetAside
        title={t(asideTitle, { count: apart.length })}
        rows={apart}
        name={(sale) => <Named sale={sale} />}
        reasons={() => t(notAwaiting)}
      />
      <Contracts lines={ready.map((sale) => ({ sale, more: null }))} />
      <Field
        label={t('Raison du refus')}
        hint={t('Chaque commercial et chaque parrain la lit.')}
        error={errors.reason?.message}
      >
        <Textarea rows={2} counterMax={reasonLengthMax} {...form.register('reason')} />
      </Field>
    </BulkDialog>
  );
}

function Named({ sale: { referredContactName: name, contractAmount: amount } }: { sale: Sale }) {
  return (
    <>
      <span className="font-medium">{name}</span>
      {amount !== null && (
        <>
          , <Amount cents={amount} />
        </>
      )}
    </>
  );
}

function Contracts({ lines }: { lines: readonly { sale: Sale; more: ReactNode }[] }) {
  const { t } = useTranslation();
  if (lines.length === 0) return null;
  return (
    <div
      role="region"
      aria-label={t('Contrats sélectionnés')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by keyboard
      tabIndex={0}
      className="max-h-72 overflow-y-auto rounded-field border border-hairline"
    >
      <ul className="divide-y divide-hairline px-4">
        {lines.map(({ sale, more }) => (
          <li key={sale.id} className="flex items-start justify-between gap-4 py-2">
            <span className="min-w-0 break-words">
              {sale.referredContactName}
              <span className="block text-sm text-encre-soft">
                {sale.commercialName ?? t('Aucun commercial')}
                {more !== null && <> · {more}</>}
              </span>
            </span>
            <Amount cents={sale.contractAmount ?? 0n} className="shrink-0 font-medium" />
          </li>
        ))}
      </ul>
    </div>
  );
}
