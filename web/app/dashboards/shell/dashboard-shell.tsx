import type { Role } from '@parrain/domain/role';
import clsx from 'clsx';
import { createElement, memo, useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { isView } from '#api/transport/client';
import { screenIsShown } from '#api/transport/idle';
import { useLiveChanges } from '#api/transport/live-changes';
import { useProfile } from '#api/transport/session';
import { SideNav, type NavGroup, type WaitingKind } from '#ui/side-nav';
import { Skeleton } from '#ui/skeleton';
import type { Action } from './actions.tsx';
import { DashboardHeader } from './dashboard-header.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { RoleGuard } from './role-guard.tsx';
import type { Section, SectionProps } from './sections.ts';
import { useAhead, type AheadOptions } from './use-ahead.ts';
import { useSection } from './use-section.ts';
import { lazyCode, lazyPart, useLazyCode, type LazyCode } from '#ui/lazy-part';
import { useCompanyName } from '../parts/use-company-name.ts';

const unknownSection = lazyCode(() => import('./unknown-section.tsx'));
// Lazy: the page's own first figures come before.
const Hands = lazyPart(
  async () => ({ default: (await import('./hands.tsx')).Hands }),
  <span className="size-9 max-sm:size-11" />,
);
const ShellFoot = lazyPart(() => import('./shell-foot.tsx'), <span className="h-28" />);
const PhoneBar = lazyPart(() => import('./phone-bar.tsx'), <div className="h-16 border-t border-hairline bg-sheet" />);

type Waiting = Readonly<Record<string, readonly WaitingKind[]>>;

export interface DashboardShellProps {
  role: Role;
  title: string;
  sections: readonly Section[];
  /** The queries that the sections open with: ./use-ahead.ts. */
  loadFirstRows: AheadOptions['loadFirstRows'];
  /** Counts of what waits in a section, by its id, beside its name. */
  waiting?: Waiting | undefined;
  /** Further tools of this role in the header: the admin's « Paramètres ». */
  headerTools?: ((place: Pick<SectionProps, 'openSection' | 'hrefOf'>) => ReactNode) | undefined;
  /** Actions of this role that run from anywhere. */
  actions?: readonly Action[] | undefined;
  /** Stands under the menu: the admin's « clean database ». */
  menuFoot?: ReactNode;
  /** Dialogs over every section. */
  children?: ReactNode;
}

/** A dashboard: its guard, its header, its menu (a rail, or a bar on a phone) and the section on screen. */
export function DashboardShell(props: DashboardShellProps) {
  return (
    <RoleGuard role={props.role}>
      <Dashboard {...props} />
    </RoleGuard>
  );
}

function Dashboard({
  role,
  title,
  sections: all,
  loadFirstRows,
  waiting = noneWaiting,
  headerTools,
  actions = noActions,
  menuFoot,
  children,
}: DashboardShellProps) {
  const { t } = useTranslation();
  const { id: profileId } = useProfile();
  useLiveChanges(role, profileId);
  // An account is its owner's alone, for whoever sees their screen too (UI-15).
  const sections = isView ? all.filter(({ id }) => id !== 'profil') : all;
  const { current, isUnknown, parts } = useSection(sections, role === 'commercial' ? 'entry' : 'address');
  const { openSection, hrefOf } = parts;
  const companyName = useCompanyName();
  const fetchAhead = useAhead({ sections, profileId, loadFirstRows });
  const [openedFirst] = useState(current.id);
  const nav = {
    label: t('Sections'),
    groups: groupsOf(
      sections.filter(({ isAside }) => isAside !== true),
      waiting,
      t,
    ),
    current: current.under ?? current.id,
    onSelect: (id: string) => openSection(id),
    hrefOf: (id: string) => hrefOf(id),
    onNear: (id: string) => id !== current.id && fetchAhead(id),
  };
  return (
    <div className="flex min-h-dvh flex-col not-low:[--sticky-top:4rem] max-lg:not-low:[--bottom-bar:4rem]">
      <title>{[t(current.label), companyName].filter(Boolean).join(' – ')}</title>
      <DashboardHeader
        title={title}
        openSection={openSection}
        tools={headerTools?.(parts)}
        search={
          <Hands role={role} sections={sections} actions={actions} current={current.id} openSection={openSection} />
        }
      />
      {/* Before the section for the keyboard, as the rail is; under the header where the window is low. */}
      <div data-bottom-bar className="inset-x-0 bottom-0 z-30 not-low:fixed lg:hidden">
        <PhoneBar nav={nav} all={groupsOf(sections, waiting, t)} />
      </div>
      <div className="flex grow">
        <aside className="sticky top-(--sticky-top,0px) flex h-[calc(100dvh-var(--sticky-top,0px))] w-64 shrink-0 flex-col gap-6 overflow-y-auto border-r border-hairline px-3 py-5 max-lg:hidden">
          <SideNav {...nav} />
          <div className="mt-auto flex flex-col gap-4 px-1">
            {menuFoot}
            <ShellFoot />
          </div>
        </aside>
        <main
          id="contenu"
          tabIndex={-1}
          className={clsx(
            // Beside the menu a table at 1024 px has less room than at 900.
            'mx-auto w-full min-w-0 px-4 py-6 max-lg:not-low:pb-24 sm:px-6 lg:px-3 xl:px-8',
            !current.isWide && 'max-w-[75rem]',
          )}
        >
          {/* As high as the window: what comes moves no foot in sight. A margin inside moves nothing outside. */}
          <div className="flow-root max-lg:not-print:min-h-[calc(100dvh-4rem)]">
            <OfflineBanner />
            {isUnknown ? (
              <OnScreen
                key={current.id}
                code={unknownSection}
                isFirst={current.id === openedFirst}
                parts={{ onBack: () => openSection(current.id, {}, { replace: true }), label: t(current.label) }}
              />
            ) : (
              <OnScreen key={current.id} code={current.screen} isFirst={current.id === openedFirst} parts={parts} />
            )}
          </div>
          <div
            data-screen-only=""
            className="mt-10 flex flex-col items-center gap-4 border-t border-hairline pt-6 lg:hidden"
          >
            <ShellFoot />
            {menuFoot}
          </div>
        </main>
      </div>
      {children}
    </div>
  );
}

const noneWaiting: Waiting = {};
const noActions: readonly Action[] = [];

interface OnScreenProps<Props> {
  code: LazyCode<Props>;
  parts: Props;
  isFirst: boolean;
}

function OnScreenPart<Props extends object>({ code, parts, isFirst }: OnScreenProps<Props>) {
  const Screen = useLazyCode(code);
  if (Screen === undefined) return <SectionSkeleton />;
  return (
    <>
      {createElement(Screen, parts)}
      <SectionFocus isFirst={isFirst} />
    </>
  );
}

/** A section, or the room it will take until its code is there. Drawn anew with its place, and not with the shell. */
const OnScreen = memo(OnScreenPart) as typeof OnScreenPart;

/**
 * Once a section is on screen (its code may have had to come first) the page is at its top and the section's title has
 * the focus: it is read aloud. The first one leaves the focus where the page load put it, and where a hand put it meanwhile:
 * only from the page's own title, where a navigation had put it, does it go on to the section's.
 */
function SectionFocus({ isFirst }: { isFirst: boolean }) {
  // The focus and the scroll are the document's, outside React.
  useEffect(() => {
    screenIsShown();
    const main = document.querySelector('main');
    const at = document.activeElement;
    // A part that was sought has it.
    if (!main || main.querySelector('[data-sought]') || (isFirst && !main.contains(at) && at?.tagName !== 'H1')) return;
    window.scrollTo({ top: 0, behavior: 'instant' });
    const heading = main.querySelector<HTMLElement>('h2');
    heading?.setAttribute('tabindex', '-1');
    (heading ?? main).focus({ preventScroll: true });
  }, [isFirst]);
  return null;
}

function groupsOf(sections: readonly Section[], waiting: Waiting, t: (text: string) => string): NavGroup<string>[] {
  const groups = new Map<string | undefined, NavGroup<string>['items'][number][]>();
  for (const { id, label, icon, group, bar, under } of sections) {
    if (under !== undefined) continue;
    const items = groups.get(group) ?? [];
    items.push({ id, label: t(label), icon, waiting: waiting[id], bar: bar && { at: bar.at, word: t(bar.word) } });
    groups.set(group, items);
  }
  return [...groups].map(([label, items]) => ({ label: label ? t(label) : undefined, items }));
}

function SectionSkeleton() {
  return (
    <div aria-busy="true" className="flex flex-col gap-4">
      <Skeleton className="h-8 w-56" />
      <div className="grid grid-cols-2 gap-4 lg:grid-cols-4">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-28 w-full rounded-card" />
        ))}
      </div>
      <Skeleton className="h-72 w-full rounded-card" />
    </div>
  );
}
