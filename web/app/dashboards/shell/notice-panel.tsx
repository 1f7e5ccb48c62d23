import { noticeWords } from '@parrain/domain/notice';
import type { Role } from '@parrain/domain/role';
import { useMutation, useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { Check, CheckCheck, Inbox, MailOpen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { markAllNotices, markNotices, ownNoticesQuery, unmarkAllNotices, type OwnNotice } from '#api/account/notices';
import { messageOf } from '#api/transport/api-error';
import { Button } from '#ui/button';
import { DateText } from '#ui/date';
import { EmptyState } from '#ui/empty-state';
import { ErrorState } from '#ui/error-state';
import { IconButton } from '#ui/icon-button';
import { SidePanel } from '#ui/side-panel';
import { Skeleton } from '#ui/skeleton';
import { useToast } from '#ui/toast';

const PAGE = 30;

export interface NoticePanelProps {
  role: Role;
  count: number;
  onClose: () => void;
  onGo: (notice: OwnNotice) => void;
}

/** The newest notices, to follow up, to mark read or new again. */
export function NoticePanel({ role, count, onClose, onGo }: NoticePanelProps) {
  const { t } = useTranslation();
  const toast = useToast();
  const [most, setMost] = useState(PAGE);
  const query = useQuery(ownNoticesQuery(role, most));
  const onError = (error: unknown) =>
    toast.error(messageOf(error, t('Votre choix n’a pas pu être enregistré. Réessayez.')));
  const newAgain = useMutation({ mutationFn: unmarkAllNotices, onError });
  const all = useMutation({
    mutationFn: markAllNotices,
    onSuccess: (readAt) =>
      toast.success(t('Tout est marqué comme lu'), {
        action: { label: t('Annuler'), onClick: () => newAgain.mutate(readAt) },
      }),
    onError,
  });
  const one = useMutation({
    mutationFn: ({ id, isRead }: { id: string; isRead: boolean }) => markNotices([id], isRead),
    onError,
  });
  const { data } = query;
  const newest = data?.notices[0];
  return (
    <SidePanel
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('Notifications')}
      subtitle={t('Gardées six mois. Les e-mails se choisissent dans votre profil.')}
      footer={
        newest &&
        count > 0 && (
          <Button icon={<CheckCheck />} pending={all.isPending} onClick={() => all.mutate(newest.createdAt)}>
            {t('Tout marquer comme lu')}
          </Button>
        )
      }
    >
      {data ? (
        data.notices.length === 0 ? (
          <EmptyState
            icon={<Inbox aria-hidden />}
            title={t('Rien de nouveau')}
            description={t('Ce qui arrive à vos parrainages, contrats et paiements se lira ici.')}
          />
        ) : (
          <>
            <ul className="-mx-2 divide-y divide-hairline">
              {data.notices.map((notice) => (
                <NoticeLine
                  key={notice.id}
                  notice={notice}
                  onGo={() => {
                    if (!notice.isRead) one.mutate({ id: notice.id, isRead: true });
                    onGo(notice);
                  }}
                  onMark={() => one.mutate({ id: notice.id, isRead: !notice.isRead })}
                />
              ))}
            </ul>
            {data.goesOn && (
              <Button className="mt-4 w-full" pending={query.isFetching} onClick={() => setMost(most + PAGE)}>
                {t('Afficher les plus anciennes')}
              </Button>
            )}
          </>
        )
      ) : query.isError ? (
        <ErrorState onRetry={() => void query.refetch()} pending={query.isFetching} />
      ) : (
        <div className="flex flex-col gap-4" aria-busy="true">
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-14 w-full" />
          <Skeleton className="h-14 w-full" />
        </div>
      )}
    </SidePanel>
  );
}

function NoticeLine({ notice, onGo, onMark }: { notice: OwnNotice; onGo: () => void; onMark: () => void }) {
  const { t } = useTranslation();
  const { title, text } = noticeWords(notice);
  return (
    <li className="flex items-start gap-2 px-2 py-3">
      <span
        aria-hidden
        className={clsx('mt-2 size-2 shrink-0 rounded-full', notice.isRead ? 'bg-transparent' : 'bg-sapin')}
      />
      <div className="min-w-0 grow">
        <button type="button" className="tap-target text-left hover:underline" onClick={onGo}>
          {!notice.isRead && <span className="sr-only">{t('Non lue :')} </span>}
          <span className={clsx('wrap-anywhere', notice.isRead ? 'text-encre-soft' : 'font-medium')}>{t(title)}</span>
        </button>
        <p className="text-sm wrap-anywhere text-encre-soft">{t(text)}</p>
        <p className="text-sm text-encre-faint">
          <DateText value={notice.createdAt} withTime />
        </p>
      </div>
      <IconButton
        icon={notice.isRead ? <MailOpen /> : <Check />}
        label={
          notice.isRead
            ? t('Marquer comme non lue : {{title}}', { title })
            : t('Marquer comme lue : {{title}}', { title })
        }
        onClick={onMark}
      />
    </li>
  );
}
