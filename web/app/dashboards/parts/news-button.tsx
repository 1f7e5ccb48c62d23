import { RotateCw } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '#ui/button';
import { countText } from './count-text.ts';
import type { NewsBarProps } from './news-bar.tsx';

/** « 3 nouveautés – Actualiser », in code of its own: the first picture of a list has no news yet. */
export default function NewsButton({ count, onShow }: NewsBarProps) {
  const { t } = useTranslation();
  return (
    <Button size="sm" icon={<RotateCw />} onClick={onShow} className="w-full">
      {t('{{news}} – Actualiser', { news: countText(count, t('nouveauté'), t('nouveautés')) })}
    </Button>
  );
}
