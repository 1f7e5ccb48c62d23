import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { countText } from './count-text.ts';

export interface NewsBarProps {
  count: number;
  onShow: () => void;
}

/** RT-01: « 3 nouveautés – Actualiser », above a list whose rows stay in place until then. */
export function NewsBar({ count, onShow }: NewsBarProps) {
  const { t } = useTranslation();
  return (
    <div role="status" className="not-empty:mb-4">
      {count > 0 && (
        <Button size="sm" icon={<RotateCw />} onClick={onShow} className="w-full">
          {t('{{news}} – Actualiser', { news: countText(count, t('nouveauté'), t('nouveautés')) })}
        </Button>
      )}
    </div>
  );
}
