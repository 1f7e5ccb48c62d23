import type { SupabaseClient } from '@supabase/supabase-js';
import { publicConfig } from './public-config.ts';

/** The official client, made once from the server's own configuration: `const client = await supabase()`. */
export function supabase(): Promise<SupabaseClient> {
  // The client's code comes by itself, after the first paint: a form can be filled while it arrives.
  made ??= Promise.all([publicConfig(), import('@supabase/supabase-js')]).then(
    ([{ apiUrl, publishableKey }, { createClient }]) =>
      createClient(new URL(apiUrl || '/', window.location.origin).href.replace(/\/$/, ''), publishableKey, {
        auth: { storageKey: 'parrain-session', persistSession: true, autoRefreshToken: true, detectSessionInUrl: true },
      }),
  );
  made.catch(() => {
    // A server that was down may be back at the next call: the failure is not kept.
    made = undefined;
  });
  return made;
}

let made: Promise<SupabaseClient> | undefined;
