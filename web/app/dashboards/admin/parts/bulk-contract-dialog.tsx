import { zodResolver } from '@hookform/resolvers/zod';
import {
  commissionsOfSale,
  exceedsContract,
  formatCommissionSide,
  scaleReached,
  type CommissionRate,
} from '@parrain/domain/commission';
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
import { liveCommissionRatesQuery } from '#api/scales/commission-rates';
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
  const lines = sales.map((sale) => lineOf(sale, scale, scales.data?.rows ?? [], profile.id, t));
  const ready = lines.filter((line) => line.obstacle === null);
  const apart = lines.filter((line) => line.obstacle !== null);
  const total = sum(ready.map(({ amount }) => amount));
  const commissions = sum(ready.map((line) => line.client + line.commercial));
  const readySales = ready.map(({ sale }) => sale);
  return (
    <BulkDialog<Sale, CommissionRate>
      rows={readySales}
      title={t('Valider {{count}} ?', { count: countText(ready.length, t('contrat'), t('contrats')) })}
      description={t(
        'Contrats de {{total}} en tout, {{commissions}} de commissions, créées telles qu’elles s’affichent ici. Ensuite, ces ventes ne se modifient plus.',
        { total: formatEuros(total), commissions: formatEuros(commissions) },
      )}
      tone="primary"
      confirmLabel={t('Valider {{total}}', { total: formatEuros(total) })}
      confirmDisabled={scale === undefined || ready.length === 0}
      submit={(go) => scale && go(scale)}
      act={(sale, chosen) =>
        sendSaleValidation({
          saleId: sale.id,
          commissionRateId: chosen.id,
          seenVersion: sale.version,
          contractAmount: sale.contractAmount ?? 0n,
          commissions: commissionsOfSale({ ...sale, contractAmount: sale.contractAmount ?? 0n }, chosen.scale),
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
                client: formatCommissionSide(scale.scale.client),
                commercial: formatCommissionSide(scale.scale.commercial),
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
          <Contracts
            lines={ready.map(({ sale, client, commercial }) => ({
              sale,
              more: t('{{client}} pour le client, {{commercial}} pour le commercial', {
                client: formatEuros(client),
                commercial: formatEuros(commercial),
              }),
            }))}
          />
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

function lineOf(
  sale: Sale,
  scale: CommissionRate | undefined,
  scales: readonly CommissionRate[],
  adminId: string,
  t: TFunction,
): ContractLine {
  const amount = sale.contractAmount ?? 0n;
  if (!isAwaitingValidation(sale))
    return { id: sale.id, sale, amount, client: 0n, commercial: 0n, obstacle: t(notAwaiting) };
  if (scale === undefined) return { id: sale.id, sale, amount, client: 0n, commercial: 0n, obstacle: null };
  const commissions = commissionsOfSale({ ...sale, contractAmount: amount }, scale.scale);
  const reached = scaleReached(scales, amount);
  const obstacle =
    obstacleOf(sale, adminId) ??
    standingObstacle(sale) ??
    (reached !== undefined && reached.id !== scale.id
      ? t('« {{name}} » est prévu pour ce montant.', { name: reached.name })
      : null) ??
    (exceedsContract(amount, commissions) ? t('ses commissions dépassent le montant du contrat.') : null);
  return { id: sale.id, sale, amount, ...commissions, obstacle };
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
