import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { companySettings, type CompanySettings } from '#api/company/company-settings';
import { ErrorState } from '#ui/error-state';
import { SearchInput } from '#ui/search-input';
import { NavControl } from '#ui/side-nav';
import { Skeleton } from '#ui/skeleton';
import { Sought } from '#ui/sought';
import { fitOfEntry } from '../../shell/fit.ts';
import type { SectionProps } from '../../shell/sections.ts';
import { companySettingSubjects, ownSpots, type Spot } from '../../shell/spots.ts';
import { PlaceLink } from '../parts/place-link.tsx';
import { SectionTabs } from '../parts/section-tabs.tsx';
import { settingBlocks } from './setting-blocks.tsx';

/** UI-05: every setting of the company on one page, by subject; each saved by its own button, at an address of its own. */
export default function Reglages(props: SectionProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useState('');
  const settings = useQuery(companySettings);
  const asked = search.trim();
  const isFitting = (entry: Spot) => fitOfEntry({ ...entry, label: t(entry.label) }, asked) > 0;
  const subjects = companySettingSubjects.map((group) => ({
    ...group,
    fitting: group.settings.filter((entry) => asked === '' || isFitting(entry)),
  }));
  const own = asked === '' ? [] : ownSpots.filter(isFitting);
  const isNoneFound = own.length === 0 && subjects.every(({ fitting }) => fitting.length === 0);
  return (
    <>
      <SectionTabs
        {...props}
        of="reglages"
        current="reglages"
        title={t('Réglages')}
        description={t('Les règles de votre entreprise, par sujet. Chaque réglage s’enregistre à part.')}
      />
      <div className="mt-5 grid gap-x-8 gap-y-5 lg:grid-cols-[13.5rem_minmax(0,1fr)]">
        <div className="top-[calc(var(--sticky-top,0px)+1.25rem)] flex flex-col gap-4 self-start lg:sticky">
          <SearchInput label={t('Chercher un réglage')} size="sm" value={search} onValueChange={setSearch} />
          <Subjects {...props} subjects={subjects} />
        </div>
        {settings.data ? (
          <div className="flex min-w-0 flex-col gap-8">
            {subjects.map((group) => (
              <Subject key={group.subject} {...group} settingsOfCompany={settings.data} detail={props.detail} />
            ))}
            {own.length > 0 && <OwnSettings found={own} hrefOf={props.hrefOf} />}
            {isNoneFound && (
              <p role="status" className="py-8 text-center text-encre-soft">
                {t('Aucun réglage ne correspond à « {{text}} ».', { text: asked })}
              </p>
            )}
          </div>
        ) : settings.isError ? (
          <ErrorState onRetry={() => void settings.refetch()} pending={settings.isFetching} />
        ) : (
          <div className="flex flex-col gap-4">
            <Skeleton className="h-40 w-full rounded-card" />
            <Skeleton className="h-64 w-full rounded-card" />
          </div>
        )}
      </div>
    </>
  );
}

/** Links to the settings found in the reader's own profile. */
function OwnSettings({ found, hrefOf }: Pick<SectionProps, 'hrefOf'> & { found: readonly Spot[] }) {
  const { t } = useTranslation();
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-lg">{t('Dans votre profil')}</h3>
      <ul className="flex flex-wrap gap-x-4 gap-y-2">
        {found.map(({ label, section, detail }) => (
          <li key={label}>
            <PlaceLink to={hrefOf(section, detail)}>{t(label)}</PlaceLink>
          </li>
        ))}
      </ul>
    </section>
  );
}

type SubjectGroup = (typeof companySettingSubjects)[number];
type Entry = SubjectGroup['settings'][number];
interface FoundGroup {
  subject: string;
  settings: readonly Entry[];
  /** Those that answer what is searched. */
  fitting: readonly Entry[];
}

/** The way to each setting, on a wide screen. */
function Subjects({ subjects, openSection, hrefOf }: SectionProps & { subjects: readonly FoundGroup[] }) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t('Sujets')} className="flex flex-col gap-4 max-lg:hidden">
      {subjects.map(
        ({ subject, fitting }) =>
          fitting.length > 0 && (
            <div key={subject}>
              <p className="mb-1 text-xs font-medium text-encre-faint">{t(subject)}</p>
              <ul>
                {fitting.map(({ id, label }) => (
                  <li key={id}>
                    <NavControl
                      href={hrefOf('reglages', { bloc: id })}
                      onSelect={() => openSection('reglages', { bloc: id }, { replace: true })}
                      className="block py-1 text-sm text-encre-soft hover:text-encre hover:underline"
                    >
                      {t(label)}
                    </NavControl>
                  </li>
                ))}
              </ul>
            </div>
          ),
      )}
    </nav>
  );
}

interface SubjectProps extends FoundGroup {
  settingsOfCompany: CompanySettings;
  detail: SectionProps['detail'];
}

/** The settings of a subject. One that does not answer the search is hidden, so that what was typed in it stays. */
function Subject({ subject, settings, fitting, settingsOfCompany, detail }: SubjectProps) {
  const { t } = useTranslation();
  return (
    <section className={clsx('flex flex-col gap-4', fitting.length === 0 && 'hidden')}>
      <h3 className="text-lg">{t(subject)}</h3>
      {settings.map((entry) => {
        const Block = settingBlocks[entry.id];
        return (
          <div key={entry.id} className={fitting.includes(entry) ? undefined : 'hidden'}>
            <Sought isSought={detail['bloc'] === entry.id}>
              <Block title={t(entry.label)} section={entry.section} settings={settingsOfCompany} />
            </Sought>
          </div>
        );
      })}
    </section>
  );
}
