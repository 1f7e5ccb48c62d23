import { formatDate } from '@parrain/domain/date';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { restoreSupplier, type AsideSupplier } from '#api/payments/received-invoices';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { useToast } from '#ui/toast';

/** EI-02: the suppliers whose invoices are set aside by themselves, each until it is taken back. */
export function AsideSuppliers({ suppliers }: { suppliers: readonly AsideSupplier[] }) {
  const { t } = useTranslation();
  return (
    <details className="border-t border-hairline px-4 py-3 sm:px-5">
      <summary className="tap-target cursor-pointer text-sm text-encre-soft">
        {t('Fournisseurs écartés ({{count}})', { count: suppliers.length })}
      </summary>
      <p className="mt-2 text-sm text-encre-soft">
        {t(
          'Leurs factures sont écartées d’elles-mêmes. Si vous n’écartez plus un fournisseur, celles des trente derniers jours reviennent ici.',
        )}
      </p>
      <ul aria-label={t('Fournisseurs écartés')} className="mt-1 divide-y divide-hairline">
        {suppliers.map((supplier) => (
          <Supplier key={supplier.siren} supplier={supplier} />
        ))}
      </ul>
    </details>
  );
}

function Supplier({ supplier: { siren, name, invoices, lastAt } }: { supplier: AsideSupplier }) {
  const { t } = useTranslation();
  const toast = useToast();
  const restore = useMutation({
    mutationFn: () => restoreSupplier(siren),
    onSuccess: (message) => toast.success(t(message)),
    onError: (error) => toast.error(t('Cela n’a pas pu être noté.'), { description: messageOf(error, '') }),
  });
  const title = name ?? t('Fournisseur sans nom');
  const facts = [
    t('SIREN {{siren}}', { siren }),
    invoices === 1 ? t('une facture écartée') : t('{{count}} factures écartées', { count: invoices }),
    lastAt === null ? null : t('la dernière le {{day}}', { day: formatDate(lastAt) }),
  ];
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
      <div className="min-w-0 grow basis-60">
        <p className="font-medium wrap-anywhere">{title}</p>
        <p className="text-sm text-encre-soft">{facts.filter((words) => words !== null).join(', ')}</p>
      </div>
      <Button
        size="sm"
        pending={restore.isPending}
        aria-label={t('Ne plus écarter : {{title}}', { title })}
        onClick={() => restore.mutate()}
      >
        {t('Ne plus écarter')}
      </Button>
    </li>
  );
}
