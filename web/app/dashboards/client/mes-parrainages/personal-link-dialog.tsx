import { shortName } from '@parrain/domain/short-name';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Maximize2, Printer, RefreshCw } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { personalLinkQuery, renewPersonalLink } from '#api/people/personal-link';
import { messageOf } from '#api/transport/api-error';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';
import { ConfirmDialog } from '#ui/confirm-dialog';
import { CopyButton } from '#ui/copy-button';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';
import { saveFile } from '../../parts/save-file.ts';
import { useCompanyName } from '../../parts/use-company-name.ts';
import { LinkCards } from './link-cards.tsx';
import { qrPng, qrSource, qrSvg } from './qr-code.ts';
import ShareLink from './share-link.tsx';

/** CS-01: the client's own link: shared, copied, shown as a QR code, printed on cards, renewed. */
export function PersonalLinkDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { t } = useTranslation();
  const profile = useProfile();
  const link = useQuery({ ...personalLinkQuery(profile.id), enabled: open });
  return (
    <Dialog
      open={open}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t('Mon lien personnel')}
      description={t('Envoyez-le : votre ami laisse ses coordonnées en 30 secondes.')}
      size="sm"
    >
      {link.data !== undefined ? (
        <PersonalLink url={link.data} fullName={profile.fullName} profileId={profile.id} />
      ) : link.isError ? (
        <ErrorState onRetry={() => void link.refetch()} pending={link.isFetching} />
      ) : (
        <Skeleton className="mx-auto size-60" />
      )}
    </Dialog>
  );
}

interface PersonalLinkProps {
  url: string;
  fullName: string;
  profileId: string;
}

function PersonalLink({ url, fullName, profileId }: PersonalLinkProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const queries = useQueryClient();
  const whole = useRef<HTMLDialogElement>(null);
  const [isRenewing, setRenewing] = useState(false);
  const companyName = useCompanyName() ?? '';
  const renewal = useMutation({
    mutationFn: renewPersonalLink,
    onSuccess: (renewed) => {
      queries.setQueryData(personalLinkQuery(profileId).queryKey, renewed);
      setRenewing(false);
      toast.success(t('Votre lien est renouvelé'));
    },
  });
  const qr = qrSource(url);
  const alt = t('Code QR de votre lien');
  const savePng = async () => {
    try {
      saveFile(new File([await qrPng(url)], `${t('Mon lien')}.png`, { type: 'image/png' }));
    } catch (error) {
      toast.error(messageOf(error, t('L’image n’a pas pu être faite. Prenez le SVG.')));
    }
  };
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-3">
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          className="rounded-field border border-hairline bg-well px-3.5 py-2.5 text-center font-medium wrap-anywhere"
        >
          {url.replace(/^https?:\/\//u, '')}
        </a>
        <div className="flex flex-wrap justify-center gap-2">
          <CopyButton text={url} label={t('Copier le lien')} copiedLabel={t('Lien copié')} />
          <ShareLink />
        </div>
      </div>
      <figure className="flex flex-col items-center gap-3">
        <img src={qr} alt={alt} width={220} height={220} className="size-55 rounded-field border border-hairline" />
        <figcaption className="flex flex-wrap justify-center gap-2">
          <Button size="sm" icon={<Maximize2 />} onClick={() => whole.current?.showModal()}>
            {t('Plein écran')}
          </Button>
          <Button size="sm" icon={<Download />} onClick={() => void savePng()} aria-label={t('Code QR en PNG')}>
            PNG
          </Button>
          <Button
            size="sm"
            icon={<Download />}
            onClick={() => saveFile(new File([qrSvg(url)], `${t('Mon lien')}.svg`, { type: 'image/svg+xml' }))}
            aria-label={t('Code QR en SVG')}
          >
            SVG
          </Button>
          <Button size="sm" icon={<Printer />} onClick={() => window.print()}>
            {t('Imprimer des cartes')}
          </Button>
        </figcaption>
      </figure>
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-hairline pt-4">
        <p className="min-w-0 flex-1 basis-52 text-sm text-encre-soft">
          {t('Votre lien circule trop ? Renouvelez-le : l’ancien ne mènera plus nulle part.')}
        </p>
        <Button size="sm" icon={<RefreshCw />} onClick={() => setRenewing(true)}>
          {t('Renouveler')}
        </Button>
      </div>
      {/* The device’s own top layer: above this dialog, closed by Escape or a tap, wherever it is. */}
      <dialog
        ref={whole}
        aria-label={alt}
        className="m-0 hidden h-dvh max-h-none w-dvw max-w-none flex-col items-center justify-center gap-6 bg-white p-4 open:flex"
      >
        <img src={qr} alt={alt} className="size-[min(92vw,72vh)]" />
        <Button size="lg" onClick={() => whole.current?.close()}>
          {t('Fermer')}
        </Button>
      </dialog>
      <LinkCards referrer={shortName(fullName)} companyName={companyName} url={url} qr={qr} />
      <ConfirmDialog
        open={isRenewing}
        onOpenChange={setRenewing}
        title={t('Renouveler votre lien ?')}
        description={t(
          'L’adresse et le code QR que vous avez donnés, et les cartes imprimées, ne mèneront plus nulle part.',
        )}
        confirmLabel={t('Renouveler le lien')}
        pending={renewal.isPending}
        error={renewal.error ? messageOf(renewal.error, t('Le lien n’a pas pu être renouvelé. Réessayez.')) : undefined}
        onConfirm={() => renewal.mutate()}
      />
    </div>
  );
}
