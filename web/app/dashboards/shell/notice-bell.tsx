import { noticePlace } from '@parrain/domain/notice-place';
import type { Role } from '@parrain/domain/role';
import { useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { newNoticesQuery } from '#api/account/new-notices';
import { lazyPart } from '#ui/lazy-part';

// Lazy: with the first press.
const NoticePanel = lazyPart(async () => ({ default: (await import('./notice-panel.tsx')).NoticePanel }));

export interface NoticeBellProps {
  role: Role;
  openSection: (id: string, detail: Readonly<Record<string, string>>) => void;
}

/** Bell of the reader's new notices: a count beside it, the list behind it (TM-03). */
export function NoticeBell({ role, openSection }: NoticeBellProps) {
  const { t } = useTranslation();
  const [isOpen, setIsOpen] = useState(false);
  const { data: count = 0 } = useQuery(newNoticesQuery);
  const label = count === 0 ? t('Notifications') : t('Notifications : {{count}} à lire', { count });
  return (
    <>
      <div data-screen-only="" className="relative">
        <button
          type="button"
          aria-label={label}
          title={label}
          onClick={() => setIsOpen(true)}
          className="tap-target inline-flex size-9 items-center justify-center rounded-field text-encre-soft transition-colors duration-120 hover:bg-well hover:text-encre max-sm:size-11"
        >
          <Bell aria-hidden className="size-4.5" />
        </button>
        {count > 0 && (
          <span
            aria-hidden
            className="tabular-digits pointer-events-none absolute -top-0.5 -right-0.5 min-w-4.5 rounded-full bg-danger px-1 text-center text-xs/4.5 font-semibold text-sheet"
          >
            {count > 99 ? '99+' : count}
          </span>
        )}
        <span role="status" className="sr-only">
          {count === 0 ? '' : label}
        </span>
      </div>
      {isOpen && (
        <NoticePanel
          role={role}
          count={count}
          onClose={() => setIsOpen(false)}
          onGo={(notice) => {
            const { section, detail } = noticePlace(notice);
            setIsOpen(false);
            openSection(section, detail);
          }}
        />
      )}
    </>
  );
}
