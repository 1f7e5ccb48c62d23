import { randomUUID } from 'node:crypto';

// The main job of the product over plain HTTP, for servers of any version: an upgrade is tried with it before, while and after.

/** One answer; the shape of its body is the caller's to know. */
export type Answer = {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
};

/** A server as its users reach it. */
export type Site = { readonly url: string; readonly publishableKey: string };

export async function siteAt(url: string): Promise<Site> {
  const { publishableKey } = (await (await fetch(`${url}/config.json`)).json()) as { publishableKey: string };
  return { url, publishableKey };
}

/** A call with a person's token, or with a visitor's rights where it is null. */
export async function ask(site: Site, token: string | null, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${site.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      apikey: site.publishableKey,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function asked(site: Site, token: string | null, path: string, body?: object): Promise<Answer['body']> {
  const answer = await ask(site, token, path, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
}

/** @returns an access token. */
async function signIn(site: Site, email: string, password: string): Promise<string> {
  const { access_token: token } = await asked(site, null, '/auth/v1/token?grant_type=password', { email, password });
  return token as string;
}

/** The same with a key of the company, as other software asks. */
export async function askWithKey({ url }: Site, key: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, body: await response.json() };
}

export type People = { readonly admin: string; readonly commercial: string; readonly client: string };

/** Signs in an admin, a commercial and a client of theirs. */
export async function signInAll(site: Site, people: People, password: string): Promise<People> {
  const tokens = await Promise.all(
    (['admin', 'commercial', 'client'] as const).map(async (role) => [
      role,
      await signIn(site, people[role], password),
    ]),
  );
  return Object.fromEntries(tokens) as People;
}

const CONTRACT = 1000;

/** A client refers a friend, the commercial signs the contract, the admin validates it. @returns the sale. */
export async function referAndValidate(site: Site, tokens: People): Promise<string> {
  const email = `ami-${randomUUID()}@exemple.fr`;
  await asked(site, tokens.client, '/functions/v1/send-invitation-email', { name: 'Paul Ami', email });
  const found = `/rest/v1/sales?select=id,version,commission_rate&referred_contact_email=eq.${email}`;
  const [{ id }] = await asked(site, tokens.commercial, found);
  await asked(site, tokens.commercial, '/functions/v1/sales-management', {
    action: 'update_status',
    sale_id: id,
    status: 'pending_final_validation',
    contract_amount: String(CONTRACT),
    contract_description: 'Contrat annuel',
  });
  const [sale] = await asked(site, tokens.admin, found);
  const [scale] = await asked(
    site,
    tokens.admin,
    '/rest/v1/commission_rates?select=*&archived_at=is.null&from_contract_amount=is.null&order=is_default.desc,created_at&limit=1',
  );
  const of = (type: string, amount: number): string =>
    (type === 'percentage' ? (CONTRACT * amount) / 100 : amount).toFixed(2);
  await asked(site, tokens.admin, '/functions/v1/sales-management', {
    action: 'validate',
    sale_id: id,
    commission_rate_id: scale.id,
    seen_version: sale.version,
    expected_contract_amount: CONTRACT.toFixed(2),
    expected_client_commission_amount: of(scale.client_commission_type, scale.client_commission_amount),
    expected_commercial_commission_amount: of(scale.commercial_commission_type, scale.commercial_commission_amount),
  });
  return id as string;
}

/** A client asks for some of their money, the admin approves and pays. @returns the request, paid. */
export async function requestAndPay(site: Site, tokens: People, amount: string): Promise<string> {
  const { data: request } = await asked(site, tokens.client, '/functions/v1/payment-request', {
    action: 'create',
    amount,
    payment_method: 'remise_societe',
  });
  for (const status of ['approved', 'paid']) {
    const [seen] = await asked(
      site,
      tokens.admin,
      `/rest/v1/payment_requests?select=version,amount&id=eq.${request.id}`,
    );
    await asked(site, tokens.admin, '/functions/v1/payment-request?action=update_status', {
      request_id: request.id,
      status,
      admin_notes: 'Remise 2026-11',
      seen_version: seen.version,
      expected_amount: seen.amount,
    });
  }
  return request.id as string;
}
