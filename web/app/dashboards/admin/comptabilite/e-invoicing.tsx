import { eInvoicingNotice } from '@parrain/domain/e-invoicing-notice';
import { eInvoicesQueued, eInvoicingOff, eInvoicingOn } from '@parrain/domain/e-invoice';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Check, CircleSlash, Plug } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  depositAllEInvoices,
  eInvoicingQuery,
  switchPlatform,
  tryPlatform,
  type EInvoicing as Facts,
} from '#api/payments/e-invoices';
import { issueOf, messageOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { lazyPart } from '#ui/lazy-part';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { EInvoicesExport } from '../../parts/accounting/e-invoices-export.tsx';

const PlatformDialog = lazyPart(() => import('./platform-dialog.tsx'));

/** EI-01, EI-03: the platform that invoices leave by, what the law changes for this company, and the export for who has no platform. */
export function EInvoicing() {
  const { t } = useTranslation();
  const facts = useQuery(eInvoicingQuery);
  const [isEdited, setEdited] = useState(false);
  const { data } = facts;
  return (
    <Card className="mt-5 p-5">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h3 className="text-lg">{t('Factures électroniques')}</h3>
            {data?.isOn === true ? (
              <Badge tone="green" icon={<Check aria-hidden />}>
                {t('Déposées automatiquement')}
              </Badge>
            ) : (
              <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
                {data?.platform ? t('Dépôt automatique désactivé') : t('Aucune plateforme reliée')}
              </Badge>
            )}
          </div>
          <p className="mt-0.5 max-w-prose text-sm text-encre-soft">
            {t(
              'Une plateforme agréée transmet vos autofactures et leurs avoirs, au nom de chaque bénéficiaire, et reçoit les factures de ceux qui les font eux-mêmes. Sans elle, exportez-les ici et déposez-les vous-même.',
            )}
          </p>
        </div>
        <Button size="sm" icon={<Plug aria-hidden />} disabled={data === undefined} onClick={() => setEdited(true)}>
          {data?.platform ? t('Changer la plateforme') : t('Relier une plateforme')}
        </Button>
      </div>
      {data === undefined ? (
        facts.isError ? (
          <ErrorState onRetry={() => void facts.refetch()} pending={facts.isFetching} />
        ) : (
          <Skeleton className="mt-4 h-16 w-full" />
        )
      ) : (
        <>
          <LawNotice facts={data} />
          {data.platform !== null && <Platform facts={data} />}
          {data.invoices > 0 && <EInvoicesExport className="mt-4 border-t border-hairline pt-4" />}
        </>
      )}
      {isEdited && data !== undefined && <PlatformDialog platform={data.platform} onClose={() => setEdited(false)} />}
    </Card>
  );
}

/** EI-03: nothing once it is done. */
function LawNotice({ facts }: { facts: Facts }) {
  const { t } = useTranslation();
  const [now] = useState(() => new Date());
  const notice = eInvoicingNotice(facts, now);
  if (notice === null) return null;
  return (
    <Notice className="mt-4" title={t('Ce qui change pour vous')}>
      <ul className="mt-1 list-disc space-y-1 pl-4">
        {notice.lines.map((line) => (
          <li key={line}>{t(line)}</li>
        ))}
        <li className="font-medium">{t(todos[notice.todo])}</li>
      </ul>
    </Notice>
  );
}

const todos = {
  papers: 'À faire : activez les pièces et donnez votre SIREN dans « Réglages des pièces ».',
  connect: 'À faire : reliez votre plateforme agréée, ou exportez et déposez chaque facture vous-même.',
  switch_on: 'À faire : activez le dépôt sur votre plateforme, ou exportez et déposez chaque facture vous-même.',
  receive:
    'À faire : choisissez votre plateforme agréée si ce n’est pas fait, puis reliez-la ici : les factures de vos bénéficiaires y sont rapprochées de ce que vous leur devez.',
  receive_on: 'À faire : activez la plateforme : les factures de vos bénéficiaires arriveront ici.',
} as const;

/** The platform that is relied on: tried, switched, and what waits for it. */
function Platform({ facts: { platform, isOn, never, waiting, refused, trouble } }: { facts: Facts }) {
  const { t } = useTranslation();
  const toast = useToast();
  const failed = (error: Error) => toast.error(issueOf(error) ?? messageOf(error, t('La plateforme ne répond pas.')));
  const attempt = useMutation({
    mutationFn: tryPlatform,
    onSuccess: () => toast.success(t('La plateforme répond')),
    onError: failed,
  });
  const deposit = useMutation({
    mutationFn: depositAllEInvoices,
    onSuccess: () => toast.success(t(eInvoicesQueued)),
    onError: failed,
  });
  const change = useMutation({
    mutationFn: () => switchPlatform(!isOn),
    onSuccess: () => toast.success(t(isOn ? eInvoicingOff : eInvoicingOn)),
    onError: failed,
  });
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3">
      <p className="min-w-0 grow basis-60 wrap-anywhere">
        {new URL(platform?.flowUrl ?? 'https://x').host}
        <span className="block text-sm text-encre-soft">
          {[
            waiting > 0 ? t('{{count}} en attente d’envoi', { count: waiting }) : t('Rien n’attend'),
            ...(refused > 0 ? [t('{{count}} à reprendre après un refus', { count: refused })] : []),
            ...(isOn && never > 0 ? [t('{{count}} d’avant l’activation, à déposer', { count: never })] : []),
          ].join(' · ')}
        </span>
        {waiting > 0 && trouble !== null && <span className="block text-sm text-amber">{trouble}</span>}
      </p>
      {isOn && never > 0 && (
        <Button size="sm" variant="accent" pending={deposit.isPending} onClick={() => deposit.mutate()}>
          {t('Tout déposer')}
        </Button>
      )}
      <Button size="sm" pending={attempt.isPending} onClick={() => attempt.mutate()}>
        {t('Essayer')}
      </Button>
      <Button size="sm" pending={change.isPending} onClick={() => change.mutate()}>
        {isOn ? t('Désactiver le dépôt') : t('Activer le dépôt')}
      </Button>
    </div>
  );
}
