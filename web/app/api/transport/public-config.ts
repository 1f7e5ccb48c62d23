export interface DemoAccount {
  role: string;
  email: string;
}

/** The public configuration, readable before anyone signs in (`GET /config.json`). Its `apiUrl` is for other applications. */
export interface PublicConfig {
  publishableKey: string;
  /** Only where demo data is loaded: the shared password and the accounts that still exist. */
  demo: { password: string; accounts: readonly DemoAccount[] } | null;
  /** The booking page of the scheduling service, where one is set (L-04). */
  calendlyUrl: string | null;
}

/** The server's public configuration, read once per page load. */
export function publicConfig(): Promise<PublicConfig> {
  read ??= fetch('/config.json', { headers: { accept: 'application/json' } }).then(async (reply) => {
    if (!reply.ok) throw new Error(`/config.json: ${reply.status}`);
    return (await reply.json()) as PublicConfig;
  });
  read.catch(() => {
    read = undefined;
  });
  return read;
}

let read: Promise<PublicConfig> | undefined;
