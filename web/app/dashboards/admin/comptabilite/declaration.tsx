import { useQuery } from '@tanstack/react-query';
import { Settings2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { das2SettingsQuery } from '#api/payments/das2';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import { Das2, type Das2Props } from '../../parts/accounting/das2.tsx';
import { PersonLink } from '../parts/person-link.tsx';

const Das2Dialog = lazyPart(() => import('./das2-dialog.tsx'));
const payee: NonNullable<Das2Props['payee']> = (props) => <PersonLink {...props} />;

/** PP-04: the company's DAS2, whose payees lead to their panels, and what counts in it. */
export function Declaration({ className }: { className?: string }) {
  const { t } = useTranslation();
  const settings = useQuery(das2SettingsQuery);
  const [isSetting, setIsSetting] = useState(false);
  return (
    <>
      <Das2
        className={className}
        payee={payee}
        tools={
          <Button
            size="sm"
            icon={<Settings2 aria-hidden />}
            disabled={settings.data === undefined}
            onClick={() => setIsSetting(true)}
          >
            {t('Réglages de la DAS2')}
          </Button>
        }
      />
      {isSetting && settings.data && <Das2Dialog settings={settings.data} onClose={() => setIsSetting(false)} />}
    </>
  );
}
