import { formatDate } from '@parrain/domain/date';
import { mandateAccepted, mandateRevoked } from '@parrain/domain/messages';
import { isVatAccepted } from '@parrain/domain/payee';
import { useMutation } from '@tanstack/react-query';
import { Check, CircleSlash, FileSignature, FileText } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { acceptMandate, revokeMandate, type Mandate, type Payee } from '#api/payments/papers';
import { messageOf } from '#api/transport/api-error';
import { Badge } from '#ui/badge';
import { Button } from '#ui/button';
import { Checkbox } from '#ui/checkbox';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { Dialog } from '#ui/dialog';
import { FormDialog } from '#ui/form-dialog';
import { Notice } from '#ui/notice';
import { useToast } from '#ui/toast';

/** PP-05: whether a business lets the company write its invoices; its owner reads, accepts and revokes the mandate. */
export default function MandatePart({ payeeId, payee, isOwn }: { payeeId: string; payee: Payee; isOwn: boolean }) {
  const { t } = useTranslation();
  const [shown, setShown] = useState<'text' | 'offer' | 'revocation'>();
  const { mandate, offeredMandate } = payee;
  const close = () => setShown(undefined);
  const isInForce = mandate?.isInForce === true;
  return (
    <div className="mt-5 border-t border-hairline pt-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h4 className="font-medium">{t('Autofacturation')}</h4>
        {isInForce ? (
          <Badge tone="green" icon={<Check aria-hidden />}>
            {t('Mandat accepté le {{day}}', { day: formatDate(mandate.acceptedAt) })}
          </Badge>
        ) : (
          <Badge tone="neutral" icon={<CircleSlash aria-hidden />}>
            {t('Pas de mandat')}
          </Badge>
        )}
      </div>
      <p className="mt-1 max-w-prose text-sm text-encre-soft">{t(sentenceOf(payee, isOwn))}</p>
      <div className="mt-3 flex flex-wrap gap-2 empty:hidden">
        {isOwn && !isInForce && offeredMandate !== null && (
          <Button size="sm" variant="primary" icon={<FileSignature aria-hidden />} onClick={() => setShown('offer')}>
            {t('Lire et accepter le mandat')}
          </Button>
        )}
        {mandate !== null && (
          <Button size="sm" icon={<FileText aria-hidden />} onClick={() => setShown('text')}>
            {isInForce ? t('Lire le mandat') : t('Lire l’ancien mandat')}
          </Button>
        )}
        {isOwn && isInForce && (
          <Button size="sm" variant="quiet" onClick={() => setShown('revocation')}>
            {t('Révoquer le mandat')}
          </Button>
        )}
      </div>
      {shown === 'offer' && offeredMandate !== null && (
        <OfferDialog payeeId={payeeId} text={offeredMandate} onClose={close} />
      )}
      {shown === 'text' && mandate !== null && <TextDialog mandate={mandate} onClose={close} />}
      {shown === 'revocation' && <RevocationDialog payeeId={payeeId} onClose={close} />}
    </div>
  );
}

function sentenceOf({ details, mandate, offeredMandate }: Payee, isOwn: boolean): string {
  const vatNumber = details?.vatNumber ?? null;
  if (mandate?.isInForce === true && vatNumber !== null && !isVatAccepted(details)) {
    return isOwn
      ? 'Votre entreprise vérifie votre TVA. Jusqu’à son accord, un virement part hors taxe et donne un reçu, à joindre à votre facture.'
      : 'Sa TVA n’est pas encore acceptée : d’ici là, un virement part hors taxe et donne un reçu.';
  }
  if (mandate?.isInForce === true) {
    return isOwn
      ? vatNumber === null
        ? 'Votre entreprise établit les factures de vos commissions à votre place : chaque paiement donne une autofacture.'
        : 'Votre entreprise établit les factures de vos commissions à votre place : chaque virement donne une autofacture et porte sa TVA en plus. Vos commissions s’entendent hors taxes.'
      : vatNumber === null
        ? 'Les factures de ses commissions sont établies à sa place : chaque paiement donne une autofacture.'
        : 'Les factures de ses commissions sont établies à sa place : chaque virement donne une autofacture et porte sa TVA en plus. Ses commissions s’entendent hors taxes.';
  }
  if (offeredMandate === null) {
    return isOwn
      ? 'Vous facturez une TVA qui n’est pas celle de métropole : établissez vos factures vous-même. Chaque paiement donne un reçu à y joindre.'
      : 'Ce bénéficiaire facture une TVA qui n’est pas celle de métropole : il établit lui-même ses factures. Chaque paiement donne un reçu.';
  }
  return isOwn
    ? 'Avec votre mandat, votre entreprise établit les factures de vos commissions à votre place, à chaque paiement. Sans lui, chaque paiement donne un reçu, à joindre à votre facture.'
    : 'Sans mandat, ce bénéficiaire établit lui-même ses factures. Chaque paiement donne un reçu.';
}

function MandateWords({ text }: { text: string }) {
  return (
    <div className="flex flex-col gap-3 text-sm">
      {text.split('\n\n').map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </div>
  );
}

function OfferDialog({ payeeId, text, onClose }: { payeeId: string; text: string; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const [isRead, setRead] = useState(false);
  const [isMissing, setMissing] = useState(false);
  const accept = useMutation({
    mutationFn: () => acceptMandate(payeeId, text),
    onSuccess: () => {
      onClose();
      toast.success(t(mandateAccepted));
    },
  });
  return (
    <FormDialog
      size="lg"
      title={t('Mandat d’autofacturation')}
      description={t('Lisez-le en entier. Vous pourrez le relire et le révoquer ici.')}
      onClose={onClose}
      action={t('Accepter le mandat')}
      pending={accept.isPending}
    >
      {(id) => (
        <form
          method="post"
          id={id}
          noValidate
          className="flex flex-col gap-5"
          onSubmit={(event) => {
            event.preventDefault();
            if (isRead) accept.mutate();
            else setMissing(true);
          }}
        >
          <MandateWords text={text} />
          <Checkbox
            label={t('J’ai lu ce mandat et je l’accepte')}
            checked={isRead}
            onChange={(event) => setRead(event.target.checked)}
          />
          {isMissing && !isRead && <Notice tone="error">{t('Cochez la case pour accepter le mandat.')}</Notice>}
          {accept.isError && (
            <Notice tone="error">{messageOf(accept.error, t('Le mandat n’a pas pu être accepté.'))}</Notice>
          )}
        </form>
      )}
    </FormDialog>
  );
}

function TextDialog({ mandate, onClose }: { mandate: Mandate; onClose: () => void }) {
  const { t } = useTranslation();
  const [accepted, revoked] = [formatDate(mandate.acceptedAt), mandate.revokedAt && formatDate(mandate.revokedAt)];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={t('Mandat d’autofacturation')}
      description={
        revoked === null
          ? t('Version {{version}}, acceptée le {{accepted}}.', { version: mandate.version, accepted })
          : t('Version {{version}}, acceptée le {{accepted}}, révoquée le {{revoked}}.', {
              version: mandate.version,
              accepted,
              revoked,
            })
      }
      footer={<Button onClick={onClose}>{t('Fermer')}</Button>}
    >
      <MandateWords text={mandate.text} />
    </Dialog>
  );
}

function RevocationDialog({ payeeId, onClose }: { payeeId: string; onClose: () => void }) {
  const { t } = useTranslation();
  const toast = useToast();
  const revoke = useMutation({
    mutationFn: () => revokeMandate(payeeId),
    onSuccess: () => {
      onClose();
      toast.success(t(mandateRevoked));
    },
  });
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('Révoquer le mandat d’autofacturation ?')}
      description={t(
        'Les pièces déjà établies restent valables. Les prochains paiements donnent un reçu, à joindre à votre facture.',
      )}
      confirmLabel={t('Révoquer le mandat')}
      pending={revoke.isPending}
      error={revoke.isError ? messageOf(revoke.error, t('Le mandat n’a pas pu être révoqué.')) : undefined}
      onConfirm={() => revoke.mutate()}
    />
  );
}
