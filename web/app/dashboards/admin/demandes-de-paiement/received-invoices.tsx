import { eInvoiceStatusText } from '@parrain/domain/e-invoice';
import { formatDate } from '@parrain/domain/date';
import { formatEuros } from '@parrain/domain/money';
import {
  receivedInvoiceLabels,
  receivedInvoiceTones,
  receivedReasons,
  type ReceivedInvoiceState,
} from '@parrain/domain/received-invoice';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { Archive, BadgeCheck, CircleX, Clock3, FileText, Link2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import {
  answerReceivedAgain,
  readReceivedFile,
  receivedInvoicesQuery,
  type ReceivedRow,
} from '#api/payments/received-invoices';
import { messageOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Card, CardHeader } from '#ui/card';
import { IconButton } from '#ui/icon-button';
import { useToast } from '#ui/toast';
import { saveFile } from '../../parts/save-file.ts';
import { AsideSuppliers } from './aside-suppliers.tsx';
import { ReceivedDecision } from './received-decision.tsx';

interface Acts {
  onRequest: (requestId: string) => void;
  /** Given the month's first day. */
  onMonth: (month: string) => void;
}

/** EI-02: the invoices that the platform brought, those first that wait for a word; nothing where none came. */
export default function ReceivedInvoices(acts: Acts) {
  const { t } = useTranslation();
  const { data } = useQuery(receivedInvoicesQuery);
  const { invoices = [], suppliers = [] } = data ?? {};
  if (invoices.length + suppliers.length === 0) return null;
  const title = t('Factures reçues');
  return (
    <Card className="mb-5">
      <CardHeader
        level={3}
        title={title}
        description={t(
          'Arrivées par votre plateforme agréée. Celle qui correspond à une seule demande, ou au mois d’un commercial, y est jointe ; dites ce que deviennent les autres.',
        )}
      />
      {invoices.length > 0 && (
        <ul aria-label={title} className="max-h-96 divide-y divide-hairline overflow-y-auto">
          {invoices.map((invoice) => (
            <Received key={invoice.id} invoice={invoice} {...acts} />
          ))}
        </ul>
      )}
      {suppliers.length > 0 && <AsideSuppliers suppliers={suppliers} />}
    </Card>
  );
}

function Received({ invoice, onRequest, onMonth }: Acts & { invoice: ReceivedRow }) {
  const { t } = useTranslation();
  const { state, said, requestId, month, told } = invoice;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 sm:px-5">
      <div className="min-w-0 grow basis-60">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium wrap-anywhere">
          {titleOf(invoice, t)}
          <Badge tone={receivedInvoiceTones[state]} icon={icons[state]}>
            {t(receivedInvoiceLabels[state])}
          </Badge>
        </p>
        {said !== null && <p className="text-sm text-encre-soft">{amountsOf(said, t)}</p>}
        <p className="text-sm text-encre-soft wrap-anywhere">{wordsOf(invoice, t)}</p>
      </div>
      {invoice.hasFile && <FileButton invoice={invoice} />}
      {state === 'listed' && <ReceivedDecision invoice={invoice} title={titleOf(invoice, t)} />}
      {told?.state === 'refused' && <AnswerAgain invoice={invoice} />}
      {requestId !== null && (
        <Button size="sm" onClick={() => onRequest(requestId)}>
          {t('Voir la demande')}
        </Button>
      )}
      {month !== null && (
        <Button size="sm" onClick={() => onMonth(month)}>
          {t('Voir le mois')}
        </Button>
      )}
    </li>
  );
}

function FileButton({ invoice }: { invoice: ReceivedRow }) {
  const { t } = useTranslation();
  const toast = useToast();
  const read = useMutation({
    mutationFn: () => readReceivedFile(invoice.id),
    onSuccess: saveFile,
    onError: (error) => toast.error(t('Le fichier n’a pas pu être lu'), { description: messageOf(error, '') }),
  });
  return (
    <IconButton
      label={t('Télécharger : {{title}}', { title: titleOf(invoice, t) })}
      icon={<FileText />}
      disabled={read.isPending}
      onClick={() => read.mutate()}
    />
  );
}

function AnswerAgain({ invoice }: { invoice: ReceivedRow }) {
  const { t } = useTranslation();
  const toast = useToast();
  const again = useMutation({
    mutationFn: () => answerReceivedAgain(invoice.id),
    onSuccess: (message) => toast.success(t(message)),
    onError: (error) => toast.error(t('La réponse n’a pas pu être renvoyée'), { description: messageOf(error, '') }),
  });
  return (
    <Button size="sm" pending={again.isPending} onClick={() => again.mutate()}>
      {t('Renvoyer la réponse')}
    </Button>
  );
}

/** « Bois SARL, facture n° FA-7 ». */
function titleOf({ said, payeeName, isCredit }: ReceivedRow, t: TFunction): string {
  const sender = payeeName ?? said?.sellerName ?? t('Expéditeur inconnu');
  if (said === null || said.number === null) return t('{{sender}}, fichier sans numéro', { sender });
  return isCredit
    ? t('{{sender}}, avoir n° {{number}}', { sender, number: said.number })
    : t('{{sender}}, facture n° {{number}}', { sender, number: said.number });
}

function amountsOf({ day, amount, vat, total, currency }: NonNullable<ReceivedRow['said']>, t: TFunction): string {
  const known = [
    day === null ? null : t('Datée du {{day}}', { day: formatDate(`${day}T12:00:00Z`) }),
    ...(vat === 0n && total !== null
      ? [t('{{amount}} sans TVA', { amount: formatEuros(total) })]
      : [
          amount === null ? null : t('{{amount}} hors taxe', { amount: formatEuros(amount) }),
          vat === null ? null : t('{{amount}} de TVA', { amount: formatEuros(vat) }),
          total === null ? null : t('{{amount}} en tout', { amount: formatEuros(total) }),
        ]),
  ].filter((words) => words !== null);
  // The figures of another money are not euros.
  return currency === 'EUR' ? known.join(', ') : (known[0] ?? '');
}

/** Why it waits, or what its seller was told. */
function wordsOf({ reason, state, told, refusalReason }: ReceivedRow, t: TFunction): string {
  if (state === 'listed')
    return reason === null ? t('La comparaison avec ce qui est dû est en cours.') : t(receivedReasons[reason]);
  const answer =
    told === null
      ? null
      : told.state === 'deposited'
        ? t('Réponse transmise : {{status}}', { status: t(eInvoiceStatusText(told.code)) })
        : told.state === 'accepted'
          ? t('Réponse acceptée par la plateforme : {{status}}', { status: t(eInvoiceStatusText(told.code)) })
          : told.state === 'refused'
            ? t(
                'La plateforme n’a pas pris la réponse « {{status}} ». {{words}} Renvoyez-la ; si elle la refuse encore, répondez sur le site de la plateforme.',
                { status: t(eInvoiceStatusText(told.code)), words: sentence(told.words) },
              )
            : t('Réponse en attente d’envoi. {{words}}', { words: told.words ?? '' });
  return [refusalReason, answer].filter((words) => words !== null).join(' · ');
}

/** The platform's words end as a sentence does. */
function sentence(words: string | null): string {
  const plain = words?.trim() ?? '';
  return plain === '' || /[.!?…]$/u.test(plain) ? plain : `${plain}.`;
}

const icons: Readonly<Record<ReceivedInvoiceState, ReactNode>> = {
  listed: <Clock3 aria-hidden />,
  matched: <Link2 aria-hidden />,
  accepted: <BadgeCheck aria-hidden />,
  refused: <CircleX aria-hidden />,
  aside: <Archive aria-hidden />,
};
