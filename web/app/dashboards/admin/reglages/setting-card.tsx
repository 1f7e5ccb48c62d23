import type { UseQueryResult } from '@tanstack/react-query';
import type { BaseSyntheticEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { Card } from '#ui/card';
import { ErrorState } from '#ui/error-state';
import { Notice } from '#ui/notice';
import { Skeleton } from '#ui/skeleton';

interface SettingCardProps {
  title: string;
  description?: ReactNode;
  /** Its rank among the headings: 4 under a subject of the page, 3 in a dialog. */
  level?: 3 | 4 | undefined;
  children: ReactNode;
}

/** A setting of the company: what it is for beside what can be set. */
export function SettingCard({ title, description, level, children }: SettingCardProps) {
  return (
    <Card aria-label={title} className="@container p-4 sm:p-5">
      <SettingColumns title={title} description={description} level={level}>
        {children}
      </SettingColumns>
    </Card>
  );
}

interface SettingFormProps extends SettingCardProps {
  /** Saves what was typed. */
  onSubmit: (event: BaseSyntheticEvent) => Promise<void>;
  change: { isError: boolean; error: unknown; isPending: boolean };
  /** The word of its button. */
  submit: string;
  /** Says that it failed, where the server gave no reason. */
  failed?: string;
  /** Stands under the button: what is saved apart. */
  foot?: ReactNode;
}

/** A setting that its own button saves. */
export function SettingForm({
  title,
  description,
  level,
  children,
  onSubmit,
  change,
  submit,
  failed,
  foot,
}: SettingFormProps) {
  const { t } = useTranslation();
  return (
    <Card className="@container p-4 sm:p-5">
      <form method="post" noValidate aria-label={title} onSubmit={(event) => void onSubmit(event)}>
        <SettingColumns title={title} description={description} level={level}>
          {change.isError && (
            <Notice tone="error">
              {messageOf(change.error, failed ?? t('Le réglage n’a pas pu être enregistré.'))}
            </Notice>
          )}
          {children}
          <Button type="submit" size="sm" className="self-start" pending={change.isPending}>
            {submit}
          </Button>
          {foot}
        </SettingColumns>
      </form>
    </Card>
  );
}

/** A setting whose present value is being read, or could not be. */
export function SettingWaits({ title, query }: { title: string; query: UseQueryResult }) {
  return (
    <SettingCard title={title}>
      {query.isError ? (
        <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
      ) : (
        <Skeleton className="h-28 w-full" />
      )}
    </SettingCard>
  );
}

function SettingColumns({ title, description, level = 4, children }: SettingCardProps) {
  const Heading = `h${level}` as const;
  return (
    <div className="grid gap-x-8 gap-y-4 @2xl:grid-cols-[16rem_minmax(0,1fr)]">
      <div>
        <Heading className="text-base">{title}</Heading>
        {description !== undefined && <p className="mt-0.5 max-w-prose text-sm text-encre-soft">{description}</p>}
      </div>
      <div className="flex max-w-prose min-w-0 flex-col gap-4">{children}</div>
    </div>
  );
}
