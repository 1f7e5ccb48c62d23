import { useQuery } from '@tanstack/react-query';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { companySettings } from '#api/company/company-settings';
import { Dialog } from '#ui/dialog';
import { ErrorState } from '#ui/error-state';
import { Skeleton } from '#ui/skeleton';
import { NameForm } from './name-form.tsx';

export interface CompanySettingsDialogProps {
  onClose: () => void;
}

/** AD-11: the company's name and logo; what else can be set is one link away (UI-05). */
export default function CompanySettingsDialog({ onClose }: CompanySettingsDialogProps) {
  const { t } = useTranslation();
  const [saving, setSaving] = useState(false);
  const settings = useQuery(companySettings);
  return (
    <Dialog
      open
      onOpenChange={() => !saving && onClose()}
      title={t('Paramètres de l’entreprise')}
      description={t('Ce que voient vos commerciaux et vos clients.')}
      size="sm"
    >
      {settings.data ? (
        <NameForm settings={settings.data} saving={saving} onSaving={setSaving} onSaved={onClose} />
      ) : settings.isError ? (
        <ErrorState onRetry={() => void settings.refetch()} pending={settings.isFetching} />
      ) : (
        <div className="flex flex-col gap-4">
          <Skeleton className="h-11 w-full" />
          <Skeleton className="h-28 w-full" />
        </div>
      )}
      <Link
        to="?section=reglages"
        onClick={onClose}
        className="tap-target mt-5 flex items-center gap-3 border-t border-hairline pt-5 hover:text-sapin-strong"
      >
        <SlidersHorizontal aria-hidden className="size-4.5 shrink-0 text-encre-faint" />
        <span className="min-w-0">
          <span className="block font-medium">{t('Tous les réglages')}</span>
          <span className="block text-sm text-encre-faint">
            {t('Page publique, règles, relances, compte bancaire, sécurité, données…')}
          </span>
        </span>
      </Link>
    </Dialog>
  );
}
