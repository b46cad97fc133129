/**
 * An OpenID Connect provider on loopback that follows the specification. It supports discovery, the authorization code
 * flow with PKCE (S256), nonces, and codes that work once. Its consent page always agrees for the user that the test
 * has set.
 */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { z } from 'zod';

export interface ProviderUser {
  sub: string;
  email?: string;
  email_verified?: boolean;
}

export interface OidcProvider {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The user who is signed in at the provider. */
  user: ProviderUser;
  /** True if the provider returns the email address only from a separate endpoint, as some providers do. */
  tellsEmailApart: boolean;
  /** The tokens contain these wrong values. */
  lie: { nonce?: string; aud?: string; iss?: string; exp?: string; key?: 'foreign' | 'none' };
  close(): Promise<void>;
}

interface Grant {
  challenge: string;
  nonce: string;
  redirectUri: string;
  user: ProviderUser;
}

const tokenSchema = z.object({
  grant_type: z.literal('authorization_code'),
  code: z.string(),
  redirect_uri: z.string(),
  code_verifier: z.string(),
});

export async function startOidcProvider(): Promise<OidcProvider> {
  const own = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256');
  const codes = new Map<string, Grant>();
  const users = new Map<string, ProviderUser>();
  const clientId = 'donor-sync';
  const clientSecret = randomUUID();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  const issuer = `http://127.0.0.1:${address.port}`;
  const provider: OidcProvider = {
    ...{ issuer, clientId, clientSecret, tellsEmailApart: false, lie: {} },
    user: { sub: 'no one' },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return provider;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    if (url.pathname === '/.well-known/openid-configuration')
      return send(response, 200, metadata());
    if (url.pathname === '/keys') {
      const key = await exportJWK(own.publicKey);
      return send(response, 200, { keys: [{ ...key, kid: 'k1', alg: 'RS256', use: 'sig' }] });
    }
    if (url.pathname === '/authorize') {
      const [status, location] = authorize(url.searchParams);
      response.writeHead(status, { location }).end();
      return;
    }
    if (url.pathname === '/token') return token(request, response);
    if (url.pathname === '/userinfo') {
      const user = users.get((request.headers.authorization ?? '').replace('Bearer ', ''));
      return send(response, user === undefined ? 401 : 200, user ?? {});
    }
    send(response, 404, {});
  }

  function metadata() {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      code_challenge_methods_supported: ['S256'],
    };
  }

  /** Answers a request for the consent page with the address to which the browser is redirected. */
  function authorize(asked: URLSearchParams): [status: number, location: string] {
    const get = (name: string) => asked.get(name) ?? '';
    const isRight =
      get('client_id') === clientId &&
      get('response_type') === 'code' &&
      get('code_challenge_method') === 'S256' &&
      get('scope').split(' ').includes('openid') &&
      [get('code_challenge'), get('state'), get('nonce'), get('redirect_uri')].every(Boolean);
    if (!isRight) return [400, issuer];
    const code = randomUUID();
    codes.set(code, {
      challenge: get('code_challenge'),
      nonce: get('nonce'),
      redirectUri: get('redirect_uri'),
      user: provider.user,
    });
    const back = new URL(get('redirect_uri'));
    back.searchParams.set('code', code);
    back.searchParams.set('state', get('state'));
    return [302, back.href];
  }

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    const { data } = tokenSchema.safeParse(form);
    const secret = z.object({ client_secret: z.string() }).safeParse(form).data?.client_secret;
    if (secret !== clientSecret) return send(response, 401, { error: 'invalid_client' });
    const grant = codes.get(data?.code ?? '');
    codes.delete(data?.code ?? '');
    const challenge = createHash('sha256')
      .update(data?.code_verifier ?? '')
      .digest('base64url');
    if (
      grant === undefined ||
      challenge !== grant.challenge ||
      data?.redirect_uri !== grant.redirectUri
    ) {
      return send(response, 400, { error: 'invalid_grant' });
    }
    const { user } = grant;
    const accessToken = randomUUID();
    users.set(accessToken, user);
    const { lie } = provider;
    const claims = provider.tellsEmailApart ? { sub: user.sub } : user;
    const said = { ...claims, nonce: lie.nonce ?? grant.nonce };
    const token = lie.key === 'none' ? new UnsecuredJWT(said) : new SignJWT(said);
    token
      .setIssuer(lie.iss ?? issuer)
      .setAudience(lie.aud ?? clientId)
      .setIssuedAt()
      .setExpirationTime(lie.exp ?? '5m');
    const idToken =
      token instanceof UnsecuredJWT
        ? token.encode()
        : await token
            .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
            .sign(lie.key === 'foreign' ? foreign.privateKey : own.privateKey);
    const type = { token_type: 'Bearer', expires_in: 300 };
    send(response, 200, { access_token: accessToken, id_token: idToken, ...type });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
