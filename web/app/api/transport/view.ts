import { dashboardPathFor, type Role } from '@parrain/domain/role';
import { callFunction } from './call-function.ts';
import { backKey, sessionKey } from './client.ts';

interface ViewBody {
  access_token: string;
  expires_in: number;
  user: { id: string; email: string; app_metadata: { role: Role } };
}

/** Opens the screen of a commercial or a client in this tab, to be read only, until it is left or half an hour is over (UI-15). */
export async function viewAs(personId: string): Promise<void> {
  const { access_token, expires_in, user } = await callFunction<ViewBody>('view-as', { body: { person_id: personId } });
  const session = {
    access_token,
    expires_in,
    // By this computer's own clock (DF-35).
    expires_at: Math.floor(Date.now() / 1000) + expires_in,
    token_type: 'bearer',
    // The client of sessions takes no session without one; the server knows none by this name.
    refresh_token: 'none',
    user,
  };
  sessionStorage.setItem(backKey, location.pathname + location.search);
  sessionStorage.setItem(sessionKey, JSON.stringify(session));
  location.assign(dashboardPathFor(user.app_metadata.role));
}
