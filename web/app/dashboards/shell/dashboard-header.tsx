import { useQuery } from '@tanstack/react-query';
import { roleLabels } from '@parrain/domain/role';
import clsx from 'clsx';
import { LogOut } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { companySettings } from '#api/company/company-settings';
import { signOut, useProfile } from '#api/transport/session';
import { Avatar } from '#ui/avatar';
import { Button } from '#ui/button';
import { lazyPart } from '#ui/lazy-part';
import { useCompanyName } from '../parts/use-company-name.ts';
import type { SectionProps } from './sections.ts';

// Lazy: the page's own first figures come before what is new.
const NoticeBell = lazyPart(
  async () => ({ default: (await import('./notice-bell.tsx')).NoticeBell }),
  <span className="size-9 max-sm:size-11" />,
);

export interface DashboardHeaderProps {
  /** The dashboard's name, its h1: « Dashboard Administrateur ». */
  title: string;
  openSection: SectionProps['openSection'];
  /** The button of the command palette (NV-03). */
  search: ReactNode;
  /** Further tools of this role: the admin's « Paramètres ». */
  tools?: ReactNode;
}

/** The company leads (H-01); then who is here (H-02) or what the admin may do (H-03), and the way out. */
export function DashboardHeader({ title, openSection, search, tools }: DashboardHeaderProps) {
  const { t } = useTranslation();
  const profile = useProfile();
  const { data: company } = useQuery(companySettings);
  const name = useCompanyName();
  return (
    <header
      data-banner
      className="top-0 z-30 border-b not-low:sticky border-hairline bg-sheet pt-[env(safe-area-inset-top)]"
    >
      <div className="flex h-16 items-center gap-3 px-4 max-sm:gap-1 sm:px-6">
        <CompanyLogo url={company?.logoUrl ?? null} />
        {/* On a phone the person stands under the dashboard's name, so that the company's has room. */}
        <div className="flex min-w-0 flex-1 flex-col sm:contents">
          <div className="min-w-0 sm:flex-1">
            <p className="truncate font-heading text-lg/6 font-semibold tracking-tight max-sm:text-base/5" title={name}>
              {/* Its line keeps its height. */}
              {name ?? '\u00a0'}
            </p>
            <h1
              className="font-sans text-sm font-normal tracking-normal text-encre-faint max-sm:line-clamp-2 max-sm:text-xs/4 sm:truncate"
              tabIndex={-1}
            >
              {title}
            </h1>
          </div>
          {profile.role !== 'admin' && (
            <div data-person className="flex min-w-0 items-center gap-3 sm:order-1 sm:max-w-1/4">
              <div className="min-w-0 text-right max-sm:flex max-sm:gap-x-1 max-sm:text-xs/4">
                <p className="truncate font-medium" title={profile.fullName}>
                  {profile.fullName}
                </p>
                <p className="text-encre-faint max-sm:shrink-0 max-sm:before:mr-1 max-sm:before:content-['·'] sm:text-sm">
                  {t(roleLabels[profile.role])}
                </p>
              </div>
              <span className="max-sm:hidden">
                <Avatar name={profile.fullName} />
              </span>
            </div>
          )}
        </div>
        {/* Their places are kept, so that nothing moves when they come. */}
        {search}
        {profile.role !== 'comptable' && <NoticeBell role={profile.role} openSection={openSection} />}
        {tools}
        <LogOutButton isRed={profile.role !== 'admin'} />
      </div>
    </header>
  );
}

/** Red for the commercial and the client (H-02), in outline: what they came for is louder than the way out. */
function LogOutButton({ isRed }: { isRed: boolean }) {
  const { t } = useTranslation();
  const [pending, setPending] = useState(false);
  return (
    <Button
      icon={<LogOut />}
      pending={pending}
      aria-label={t('Déconnexion')}
      className={clsx(
        'max-sm:w-11 max-sm:px-0 sm:order-1',
        isRed && 'border-danger/45! text-danger! hover:bg-danger-tint!',
      )}
      onClick={() => {
        setPending(true);
        void signOut();
      }}
    >
      <span className="max-sm:hidden">{t('Déconnexion')}</span>
    </Button>
  );
}

/** No logo where none is set, and none where it cannot be loaded: the name stands alone. */
function CompanyLogo({ url }: { url: string | null }) {
  const [brokenUrl, setBrokenUrl] = useState<string>();
  if (url === null || url === brokenUrl) return null;
  return (
    <img
      src={url}
      alt=""
      onError={() => setBrokenUrl(url)}
      // On a phone the buttons leave less room beside the dashboard's name. A logo that is opaque, or dark, keeps its white sheet.
      className="h-9 max-w-16 shrink-0 rounded-[6px] bg-(--logo-sheet) object-contain p-0.5 max-sm:mr-2 max-sm:max-w-9 lg:max-w-28"
    />
  );
}
