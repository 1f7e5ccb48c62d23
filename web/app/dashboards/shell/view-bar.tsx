import { Eye } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { leaveView } from '#api/transport/client';
import { useProfile } from '#api/transport/session';
import { Button } from '#ui/button';

/** Says over every section that this is another's screen, and leads back to the admin's own (UI-15). */
export default function ViewBar() {
  const { t } = useTranslation();
  const { fullName: name } = useProfile();
  return (
    <div
      role="status"
      className="fixed bottom-[calc(var(--bottom-bar,0px)+1rem+env(safe-area-inset-bottom))] left-1/2 z-60 flex w-max max-w-[calc(100vw-1.5rem)] -translate-x-1/2 items-center gap-3 rounded-card border border-edge bg-encre py-2 pr-2 pl-4 text-papier shadow-lg print:hidden"
    >
      <Eye aria-hidden className="size-5 shrink-0" />
      <p className="min-w-0 text-sm/5">
        <span className="line-clamp-1 font-medium">{t('Écran de {{name}}', { name })}</span>
        <span className="block">{t('En lecture seule')}</span>
      </p>
      <Button onClick={leaveView}>{t('Revenir')}</Button>
    </div>
  );
}
