import type { ReactNode } from 'react';
import { useHydrated } from './use-hydrated.ts';
import { useSignInWays } from './use-sign-in-ways.ts';

interface WhereOfferedProps {
  what: keyof typeof looks;
  /** Shown in its place where the installation does not offer it. */
  otherwise?: ReactNode;
  children: ReactNode;
}

/**
 * One of two pictures, by whether this installation offers something. The page is written before the installation is known, with
 * both; the server says in the document which one its styles show (server/src/site.ts), so that the right one is painted first and
 * nothing moves when the script takes over.
 */
export function WhereOffered({ what, otherwise, children }: WhereOfferedProps) {
  const ways = useSignInWays();
  const isHydrated = useHydrated();
  const isOffered = what === 'mails' ? ways.sendsMail : ways.registration;
  return (
    <>
      {(!isHydrated || isOffered) && <div className={isHydrated ? 'contents' : looks[what].offered}>{children}</div>}
      {(!isHydrated || !isOffered) && (
        <div className={isHydrated ? 'contents' : looks[what].otherwise}>{otherwise}</div>
      )}
    </>
  );
}

const looks = {
  mails: {
    offered: 'contents in-data-[closed~=mails]:hidden',
    otherwise: 'hidden in-data-[closed~=mails]:contents',
  },
  registration: {
    offered: 'contents in-data-[closed~=registration]:hidden',
    otherwise: 'hidden in-data-[closed~=registration]:contents',
  },
};
