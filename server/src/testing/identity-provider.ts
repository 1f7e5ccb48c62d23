import { Events, OAuth2Server } from 'oauth2-mock-server';

/** An OpenID provider that runs beside the server: real discovery, real keys, real codes. */
export type IdentityProvider = {
  readonly issuer: string;
  /** Claims of the next sign-in. */
  readonly signsIn: (claims: Readonly<Record<string, unknown>>) => void;
  /** An identity token as an application would have got it. */
  readonly idToken: (claims: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly server: OAuth2Server;
  readonly close: () => Promise<void>;
};

export const CLIENT_ID = 'parrain-test';

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(0, '127.0.0.1');
  const { url: issuer } = server.issuer;
  if (issuer === undefined) throw new Error('The provider has no address');
  let person: Readonly<Record<string, unknown>> = {};
  server.service.on(Events.BeforeTokenSigning, (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, person);
  });
  return {
    issuer,
    server,
    signsIn: (claims) => {
      person = claims;
    },
    idToken: (claims) =>
      server.issuer.buildToken({
        scopesOrTransform: (_header, payload) => {
          Object.assign(payload, { aud: CLIENT_ID }, claims);
        },
      }),
    close: () => server.stop(),
  };
}

/** A browser that follows redirects until it would leave for the application: the address it ends at. */
export async function followTo(url: string, application: string): Promise<URL> {
  let next = url;
  for (let step = 0; step < 10; step += 1) {
    const response = await fetch(next, { redirect: 'manual' });
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${response.status} without a redirect: ${await response.text()}`);
    next = new URL(location, next).href;
    if (next.startsWith(application)) return new URL(next);
  }
  throw new Error('Too many redirects');
}
