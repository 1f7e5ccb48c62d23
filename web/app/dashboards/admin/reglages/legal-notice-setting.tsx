import { conformityOf } from '@parrain/domain/legal-notice';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { legalNoticeQuery } from '#api/company/legal-notice';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import { SettingCard } from './setting-card.tsx';
import type { SettingProps } from './setting-blocks.tsx';

const LegalNoticeDialog = lazyPart(() => import('./legal-notice-dialog.tsx'));

/** DF-47, DF-86: what the public pages say of the company, and the way to write it. */
export function LegalNoticeSetting({ title }: SettingProps) {
  const { t } = useTranslation();
  const { data: notice } = useQuery(legalNoticeQuery);
  const [isOpen, setOpen] = useState(false);
  return (
    <SettingCard
      title={title}
      description={
        notice
          ? t('Éditeur : {{publisher}}. Accessibilité : {{state}}.', {
              publisher: notice.publisher,
              state: conformityOf(notice.audit_rate),
            })
          : t('La loi oblige tout site à dire qui l’édite, qui l’héberge et comment vous joindre.')
      }
    >
      <Button size="sm" className="self-start" onClick={() => setOpen(true)}>
        {notice ? t('Modifier les mentions légales') : t('Remplir les mentions légales')}
      </Button>
      {isOpen && <LegalNoticeDialog onClose={() => setOpen(false)} />}
    </SettingCard>
  );
}
