import { useEffect, useState } from 'react';
import { signInWays, type SignInWays } from '#api/account/sign-in-ways';

type Shown = Pick<SignInWays, 'passkeys' | 'providers' | 'registration' | 'sendsMail'>;

/** The ways to sign in that this installation offers; until they are read, those of nearly every installation. */
export function useSignInWays(): Shown {
  const [ways, setWays] = useState<Shown>({ passkeys: true, providers: [], registration: true, sendsMail: true });
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
