import { useState } from 'react';
import { useTranslation } from 'react-i18next';

/** Preview of the header: the chosen file before it is sent, else the logo in place. */
export function HeaderPreview({ name, url }: { name: string; url: string | null }) {
  const { t } = useTranslation();
  const [brokenUrl, setBrokenUrl] = useState<string>();
  return (
    <figure className="overflow-hidden rounded-field border border-hairline">
      <figcaption className="border-b border-hairline bg-papier px-3.5 py-1.5 text-sm text-encre-faint">
        {t('Aperçu de l’en-tête')}
      </figcaption>
      <div className="flex h-16 min-w-0 items-center gap-3 px-4">
        {url !== null && url !== brokenUrl && (
          <img
            src={url}
            alt={t('Logo')}
            onError={() => setBrokenUrl(url)}
            className="h-9 max-w-28 shrink-0 rounded-[6px] object-contain"
          />
        )}
        <p className="min-w-0 truncate font-heading text-lg/6 font-semibold tracking-tight">{name}</p>
      </div>
    </figure>
  );
}
