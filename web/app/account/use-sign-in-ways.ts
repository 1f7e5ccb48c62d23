import { useEffect, useState } from 'react';
import { signInWays, type SignInWays } from '#api/account/sign-in-ways';

type Shown = Pick<SignInWays, 'passkeys' | 'providers' | 'registration' | 'sendsMail'>;

/** The ways to sign in that this installation offers; until they are read, those that the document names. */
export function useSignInWays(): Shown {
  const [ways, setWays] = useState(waysOfDocument);
  // The server's configuration is outside React.
  useEffect(() => {
    let left = false;
    void signInWays().then((found) => !left && setWays(found));
    return () => {
      left = true;
    };
  }, []);
  return ways;
}

/** As the server wrote it into the page (server/src/site.ts). Where it wrote nothing, the ways of nearly every installation. */
function waysOfDocument(): Shown {
  const closed = typeof document === 'undefined' ? '' : (document.documentElement.dataset['closed'] ?? '');
  return {
    passkeys: true,
    providers: [],
    registration: !closed.includes('registration'),
    sendsMail: !closed.includes('mails'),
  };
}
