import type { Days } from '@parrain/domain/period';
import { mailState, templatesOf, type MailGroup, type MailState } from '@parrain/domain/sent-mail';
import { queryOptions } from '@tanstack/react-query';
import { supabase } from '../transport/client.ts';
import { inTerms, readPage, previousPage, type Page, type PageMark } from '../transport/read-page.ts';
import { rowsOf } from '../transport/read.ts';
import { within } from '../transport/within.ts';

/** A mail's record: to whom, what, and what became of it. Never its text (TM-04). */
export interface SentMail {
  id: string;
  createdAt: string;
  template: string;
  state: MailState;
  stateSince: string;
  attempts: number;
  /** The mail server's code, where it refused. */
  error: string | null;
  /** A code, a password or a sign-in link: never sent again. */
  isSecret: boolean;
  maySendAgain: boolean;
  /** Null once that person is forgotten. */
  recipient: string | null;
  recipientName: string | null;
}

/** The states that the list is filtered by. */
export const mailFilters = ['all', 'failed', 'waiting', 'accepted', 'withdrawn'] as const;
export type MailFilter = (typeof mailFilters)[number];

export interface SentMailsAsked {
  search: string;
  filter: MailFilter;
  group: MailGroup | 'all';
  /** On which they were written. */
  days: Days | null;
  page: PageMark;
}

const pageSize = 25;
const POLL_MS = 15_000;

/** TM-04: one page of what was sent, the newest first. Realtime tells nothing of mails: it is polled. */
export function sentMailsQuery(asked: SentMailsAsked) {
  return queryOptions({
    queryKey: ['sent-mails', 'list', asked],
    queryFn: () => readSentMails(asked),
    placeholderData: previousPage,
    refetchInterval: POLL_MS,
  });
}

/** One mail, for its panel. */
export function sentMailQuery(id: string) {
  return queryOptions({
    queryKey: ['sent-mails', 'one', id],
    queryFn: async (): Promise<SentMail> => {
      const client = await supabase();
      return toSentMail(rowsOf(await client.from('sent_mails').select(columns).eq('id', id).single()));
    },
    refetchInterval: POLL_MS,
  });
}

async function readSentMails({ search, filter, group, days, page }: SentMailsAsked): Promise<Page<SentMail>> {
  const client = await supabase();
  return readPage(
    (options) => {
      let query = client.from('sent_mails').select(columns, options);
      if (filter === 'waiting') query = query.in('status', ['queued', 'sending']);
      else if (filter !== 'all') query = query.eq('status', filter);
      if (group !== 'all') query = query.in('template', templatesOf(group));
      if (search.trim() !== '') query = query.or(inTerms(search));
      return within(query, 'created_at', days);
    },
    {
      mark: page,
      pageSize,
      order: [
        { column: 'created_at', desc: true },
        { column: 'id', desc: true },
      ],
    },
    toSentMail,
  );
}

const columns =
  'id,created_at,template,status,status_since,attempts,last_error,is_secret,may_be_sent_again,recipient,recipient_name';

interface Row {
  id: string;
  created_at: string;
  template: string;
  status: string;
  status_since: string;
  attempts: number;
  last_error: string | null;
  is_secret: boolean;
  may_be_sent_again: boolean;
  recipient: string | null;
  recipient_name: string | null;
}

function toSentMail(found: unknown): SentMail {
  const row = found as Row;
  return {
    id: row.id,
    createdAt: row.created_at,
    template: row.template,
    state: mailState(row),
    stateSince: row.status_since,
    attempts: row.attempts,
    error: row.last_error,
    isSecret: row.is_secret,
    maySendAgain: row.may_be_sent_again,
    recipient: row.recipient,
    recipientName: row.recipient_name,
  };
}
