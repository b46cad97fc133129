import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import type { WallClock } from '../../../src/core/clock.ts';
import { ConfigurationError, RetriableError } from '../../../src/core/errors.ts';
import { withoutSlash } from '../../../src/outbound/address.ts';
import { parseJson } from '../../../src/outbound/exchange.ts';
import {
  refreshWithStored,
  refusalIn,
  type SharedSignIn,
  secretFingerprint,
  shareSignIn,
} from '../../../src/outbound/sign-in.ts';
import type { ConnectorSecrets } from '../../contract.ts';
import type { CrmExchange, CrmReply } from '../../requests/exchange.ts';
import type { AppConfig, SignInClient, TokenForm } from '../client.ts';
import { SIGN_IN_FIX } from '../errors.ts';
import type { AuthSettings, SalesforceSettings } from '../settings.ts';
import { pinInstance, toInstanceUrl } from './instance.ts';

/** The access token of a completed sign-in, and the org's address. */
export interface SignIn {
  accessToken: string;
  /** The org's address without a trailing slash. The token is not sent to any other origin (`instance.ts`). */
  instanceUrl: string;
  orgId: string;
  userId: string;
}

export type Auth = SharedSignIn<SignIn>;

export interface AuthDeps {
  settings: Pick<SalesforceSettings, 'url' | 'auth' | 'instanceHosts'>;
  exchange: Pick<CrmExchange, 'send'>;
  clock: WallClock;
  secrets: ConnectorSecrets;
  signal: AbortSignal;
}

/** Creates a connector's sign-in without sending a request. */
export function createAuth(deps: AuthDeps): Auth {
  return shareSignIn({
    ask: () => askForSignIn(deps),
    isRenewable: deps.settings.auth.type !== 'token',
    refusedForGood: () => refusedForGood(deps),
  });
}

/**
 * Returns the name of the secret that stores the latest refresh token. The name depends on the token in the settings,
 * so a new token in the settings takes effect immediately.
 */
export function refreshTokenSecret(settingsToken: string): string {
  return `salesforce_refresh_token/${secretFingerprint(settingsToken)}`;
}

export function consentSecret(clientId: string): string {
  return refreshTokenSecret(`app ${clientId}`);
}

function refusedForGood({ settings }: AuthDeps): ConfigurationError {
  const message =
    settings.auth.type === 'token'
      ? 'Salesforce rejected the token in crm.auth. Replace it, or choose a way to sign in that renews itself (jwt, clientCredentials or refreshToken).'
      : `Salesforce signs the integration in but refuses its requests. ${SIGN_IN_FIX}`;
  return new ConfigurationError(message, { code: 'crm_unauthorized' });
}

async function askForSignIn(deps: AuthDeps): Promise<SignIn> {
  const { auth, url } = deps.settings;
  switch (auth.type) {
    case 'token':
      return identify(deps, auth.token);
    case 'refreshToken':
      return refresh(deps, auth, refreshTokenSecret(auth.refreshToken), auth.refreshToken);
    case 'oauth':
      return refresh(deps, auth, consentSecret(auth.clientId), null);
    case 'clientCredentials':
      return grant(deps, auth, { grant_type: 'client_credentials' });
    case 'jwt': {
      const assertion = await signAssertion(auth, url, deps.clock.now());
      return grant(deps, {}, { grant_type: JWT_GRANT, assertion });
    }
  }
}

const userInfoSchema = z.object({ user_id: z.string(), organization_id: z.string() });

/** Requests the org and the user of an access token from Salesforce, because the token does not contain them. */
async function identify({ settings, exchange }: AuthDeps, accessToken: string): Promise<SignIn> {
  const instanceUrl = withoutSlash(settings.url);
  const { readUserInfo } = await import('../client.ts');
  const said = await readUserInfo(async ({ url: path, headers }) => {
    const authorization = `Bearer ${accessToken}`;
    const reply = await exchange.send({
      method: 'GET',
      url: instanceUrl + path,
      headers: { ...headers, authorization },
    });
    const isUser = reply.status === 200 && userInfoSchema.safeParse(parseJson(reply.text)).success;
    if (!isUser) throw tokenNotAccepted(reply.status);
    return reply;
  });
  const user = userInfoSchema.parse(said);
  return { accessToken, instanceUrl, orgId: user.organization_id, userId: user.user_id };
}

function tokenNotAccepted(status: number): ConfigurationError {
  const message = `Salesforce rejected the token in crm.auth (status ${status}). Replace it, and check that crm.url is the org's own address.`;
  return new ConfigurationError(message, { code: 'crm_unauthorized' });
}

function refresh(
  deps: AuthDeps,
  app: App,
  name: string,
  settingsToken: string | null,
): Promise<SignIn> {
  const { secrets, clock, signal } = deps;
  const tokens = { secrets, clock, signal, name, settingsToken };
  return refreshWithStored(tokens, (token, keep) => {
    const form = { grant_type: 'refresh_token', refresh_token: token };
    return grant(deps, app, form, keep);
  });
}

/**
 * The app's ID and secret. Public clients have no secret. A sign-in with a certificate sends the app's ID in the
 * assertion.
 */
type App = Pick<AppConfig, 'clientId' | 'clientSecret'>;

const tokenReplySchema = z.object({
  access_token: z.string().min(1),
  instance_url: z.string().min(1),
  /** The address ends with the IDs of the org and the user. */
  id: z.string().regex(/\/\w{15,18}\/\w{15,18}$/),
  refresh_token: z.string().optional(),
});

async function grant(
  { settings, secrets, exchange }: AuthDeps,
  { clientId, clientSecret }: App,
  form: TokenForm,
  keepRefreshToken?: (rotated: string | null) => Promise<void>,
): Promise<SignIn> {
  const reply = await askForToken(
    exchange,
    { loginUrl: settings.url, clientId, clientSecret },
    form,
  );
  const { refreshToken, instanceNamed, ...signIn } = reply;
  // The new refresh token is stored even if the instance's address is refused, because the old token may already be
  // invalid.
  await keepRefreshToken?.(refreshToken);
  const instanceUrl = toInstanceUrl(settings, instanceNamed);
  await pinInstance(settings, secrets, instanceUrl);
  return { ...signIn, instanceUrl };
}

/**
 * Sends a request to the token endpoint. If Salesforce rejects the sign-in, throws a ConfigurationError that explains
 * the reason.
 */
export async function askForToken(
  exchange: Pick<CrmExchange, 'send'>,
  app: AppConfig,
  form: TokenForm,
): Promise<TokenReply> {
  const client = await openSignInClient(exchange, app, (reply) => {
    if (reply.status !== 200) throw tokenRefused(reply, form.grant_type === JWT_GRANT);
  });
  return readTokenReply(await client.requestToken(form));
}

/** Returns the library's OAuth client for an app. `judge` throws an error if it does not accept a response. */
export async function openSignInClient(
  exchange: Pick<CrmExchange, 'send'>,
  app: AppConfig,
  judge: (reply: CrmReply) => void,
): Promise<SignInClient> {
  const { createSignInClient } = await import('../client.ts');
  return createSignInClient(app, async (request) => {
    const headers = { accept: 'application/json', ...request.headers };
    const reply = await exchange.send({ ...request, headers });
    judge(reply);
    // Salesforce's OAuth errors have other statuses. For these statuses, the library would throw its own errors.
    return { ...reply, status: 200 };
  });
}

/** The content of a successful response from the token endpoint, before its address has been checked. */
export interface TokenReply extends Omit<SignIn, 'instanceUrl'> {
  instanceNamed: string;
  refreshToken: string | null;
}

/** Parses the response of the token endpoint. Throws a RetriableError if the response is not valid. */
function readTokenReply(reply: unknown): TokenReply {
  const parsed = tokenReplySchema.safeParse(reply).data;
  if (parsed === undefined) throw signInUnavailable();
  const [orgId = '', userId = ''] = parsed.id.split('/').slice(-2);
  return {
    accessToken: parsed.access_token,
    instanceNamed: parsed.instance_url,
    orgId,
    userId,
    refreshToken: parsed.refresh_token ?? null,
  };
}

/** Instructions for users, for the usual errors of the token endpoint. */
const TOKEN_FIXES: Readonly<Record<string, string>> = {
  invalid_grant:
    'The refresh token is no longer valid, the user has not approved the app, or the clock of this machine is wrong. Connect again, or let an admin preauthorize the app for the user.',
  app_not_found:
    'The External Client App is not in this org. Write the My Domain URL of the org in which the app was created into crm.url. A refreshed sandbox needs a new app, or the client id of its copy.',
  invalid_client_id: 'No app has this crm.auth.clientId in this org.',
  invalid_client: 'crm.auth.clientSecret does not belong to crm.auth.clientId.',
  inactive_user: 'Activate the user in Salesforce, or use another one.',
  inactive_org: 'The org is closed or suspended.',
  unsupported_grant_type: 'Turn on this sign-in flow in the app’s OAuth settings.',
};

/**
 * Instructions for users, by the description in the error of the token endpoint. A description is more informative than
 * the code alone.
 */
const DESCRIPTION_FIXES: Readonly<Record<string, string>> = {
  'request not supported on this domain':
    "crm.url is an address that all orgs share, or this sign-in flow is not available there. Write the org's own My Domain URL into it, https://NAME.my.salesforce.com. It is in Setup → My Domain.",
};

/** The instruction for a sign-in with a certificate. A sign-in with a certificate has no refresh token. */
const CERTIFICATE_FIX =
  'The certificate in the app does not belong to crm.auth.privateKey, perhaps because one of the two was replaced. Upload the certificate of the key to the app in Salesforce, or put the key of the new certificate into crm.auth.privateKey.';
const JWT_FIXES: Readonly<Record<string, string>> = {
  'invalid assertion': CERTIFICATE_FIX,
  'invalid signature': CERTIFICATE_FIX,
  'expired authorization code':
    'The clock of this machine is wrong: Salesforce considers the assertion expired.',
  "user hasn't approved this consumer":
    'Let an admin preauthorize the app for the user, and check crm.auth.username.',
  'audience is invalid': "Write the org's own My Domain URL into crm.url.",
};
const OTHER_JWT_FIX =
  "Check that the certificate in the app belongs to crm.auth.privateKey, that the app is preauthorized for crm.auth.username, and that this machine's clock is right.";

function fixFor(word: string, description: string, isJwt: boolean): string {
  const described = DESCRIPTION_FIXES[description] ?? (isJwt ? JWT_FIXES[description] : undefined);
  if (described !== undefined) return described;
  if (isJwt && word === 'invalid_grant') return OTHER_JWT_FIX;
  return TOKEN_FIXES[word] ?? SIGN_IN_FIX;
}

/**
 * Creates the error for a rejected token. The token endpoint returns an OAuth code and a description. The description
 * may name a user. The message therefore contains a description only if it is one of Salesforce's known descriptions.
 */
export function tokenRefused(
  reply: Pick<CrmReply, 'status' | 'text'>,
  isJwt = false,
): ConfigurationError {
  const { error, description, word, words } = refusalIn(reply);
  if (error === null) return noTokenEndpoint(word);
  const said = KNOWN_DESCRIPTIONS.has(description) ? `${word}: ${description}` : word;
  const message = `Salesforce refuses to sign the integration in (${said}). ${fixFor(word, description, isJwt)}`;
  return new ConfigurationError(message, { code: 'crm_unauthorized', details: { word }, words });
}

const KNOWN_DESCRIPTIONS: ReadonlySet<string> = new Set([
  'External client app is not installed in this org',
  'audience is invalid',
  'authentication failure',
  'client identifier invalid',
  'expired access/refresh token',
  'expired authorization code',
  'grant type not supported',
  'inactive user',
  'invalid assertion',
  'invalid client credentials',
  'invalid signature',
  'ip restricted',
  'no client credentials user enabled',
  'request not supported on this domain',
  'token validity expired',
  "user hasn't approved this consumer",
]);

function noTokenEndpoint(word: string): ConfigurationError {
  const message = `crm.url is not a sign-in address (${word}): write the org's My Domain URL there.`;
  return new ConfigurationError(message, { code: 'crm_unauthorized', details: { word } });
}

function signInUnavailable(): RetriableError {
  const message =
    'Salesforce could not sign the integration in (the response is not from a token endpoint). Try again later.';
  return new RetriableError(message, { code: 'crm_unavailable' });
}

const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Salesforce accepts assertions that expire within about three minutes. */
const ASSERTION_LIFE_SECONDS = 180;

async function signAssertion(
  { clientId, username, privateKey }: Extract<AuthSettings, { type: 'jwt' }>,
  url: string,
  now: number,
): Promise<string> {
  const { SignJWT } = await import('jose');
  try {
    // The library cannot import keys in the PKCS#1 form, which OpenSSL wrote for years.
    const key = createPrivateKey(privateKey.replaceAll('\\n', '\n'));
    return await new SignJWT()
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(clientId)
      .setSubject(username)
      // In a sandbox, External Client Apps reject https://test.salesforce.com as the audience, but they always accept
      // the org's own address.
      .setAudience(new URL(url).origin)
      .setExpirationTime(Math.floor(now / 1000) + ASSERTION_LIFE_SECONDS)
      .sign(key);
  } catch (cause) {
    const message =
      'crm.auth.privateKey is not a private RSA key of 2,048 bits or more in PEM, without a passphrase.';
    throw new ConfigurationError(message, { code: 'crm_private_key_unreadable', cause });
  }
}
