/** Signs in with OAuth. All requests share one sign-in, and refresh tokens can be replaced. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { WallClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { type ForeignText, foreignText } from '../core/foreign-text.ts';
import { type Outgoing, parseJson } from './exchange.ts';

/** The sign-in of one connector. If several requests find it expired, they share one renewal. */
export interface SharedSignIn<SignIn> {
  /** Signs in if there is no sign-in yet, or if the sign-in is about to expire. */
  signIn(): Promise<SignIn>;
  /** Sends a request with the current token. If the response is 401, sends it again with a new token. */
  authorized<Reply extends { status: number }>(
    send: (accessToken: string) => Promise<Reply>,
  ): Promise<Reply>;
}

export interface SignInWays<SignIn> {
  /** Requests a sign-in. Throws an error of one of the four kinds. */
  ask(): Promise<SignIn>;
  /** True if a further request would return a new token. False if it would only return the same token. */
  isRenewable: boolean;
  /**
   * True if the sign-in should be renewed before its next use. If `isStale` is omitted, the sign-in is never renewed
   * early.
   */
  isStale?(signIn: SignIn): boolean;
  /** Returns the error to throw if the CRM rejects even a new token. */
  refusedForGood(): Error;
}

/** The maximum number of successive renewals if no request is accepted in between. */
const MAX_RENEWALS = 2;

/**
 * The maximum number of attempts for one request. When the CRM accepts a request, the count of renewals starts again.
 */
const MAX_SIGN_INS = 4;

/** Creates the shared sign-in. This sends no request. */
export function shareSignIn<SignIn extends { accessToken: string }>(
  ways: SignInWays<SignIn>,
): SharedSignIn<SignIn> {
  let current: SignIn | null = null;
  let underWay: Promise<SignIn> | null = null;
  let renewals = 0;

  return {
    signIn,
    async authorized(send) {
      let { accessToken } = await signIn();
      for (let attempt = 1; ; attempt += 1) {
        const reply = await send(accessToken);
        if (reply.status !== 401) {
          renewals = 0;
          return reply;
        }
        if (attempt === MAX_SIGN_INS) return reply;
        accessToken = (await renew(accessToken)).accessToken;
      }
    },
  };

  async function signIn(): Promise<SignIn> {
    const isUsable = current !== null && !(ways.isStale?.(current) ?? false);
    return current !== null && isUsable ? current : share();
  }

  /** Returns a sign-in with a new token, because the given token was rejected. */
  async function renew(rejectedToken: string): Promise<SignIn> {
    if (current !== null && current.accessToken !== rejectedToken) return current;
    if (underWay === null) {
      if (!ways.isRenewable || renewals >= MAX_RENEWALS) throw ways.refusedForGood();
      renewals += 1;
    }
    return share();
  }

  function share(): Promise<SignIn> {
    underWay ??= ways
      .ask()
      .then((signIn) => {
        current = signIn;
        return signIn;
      })
      .finally(() => {
        underWay = null;
      });
    return underWay;
  }
}

/** Storage for the encrypted refresh tokens. Other processes also write to this storage. */
export interface RefreshTokens {
  secrets: {
    read(name: string): Promise<string | null>;
    write(name: string, value: string): Promise<void>;
  };
  clock: WallClock;
  signal: AbortSignal;
  /** The name of the secret that contains the current refresh token. */
  name: string;
  /** The token in the settings, which is used until a token is stored. */
  settingsToken: string | null;
}

/** The number of attempts to find another process's token, and the wait before each attempt except the first. */
const LOOKS = 5;
const LOOK_WAIT_MS = 200;

/**
 * The maximum number of refresh tokens that are tried before a rejection is final. Other processes may repeatedly
 * replace the token first.
 */
const MAX_TOKENS = 3;

/**
 * Refreshes the access token with the stored refresh token, or with the refresh token in the settings. If the CRM
 * rejects the token, another process may have just used it. In this case, tries the token that the other process has
 * stored. A new refresh token is saved on disk (`keep`) before its access token is used, because the old token may be
 * invalid from then on. Throws a ConfigurationError if there is no token.
 */
export async function refreshWithStored<Reply>(
  tokens: RefreshTokens,
  ask: (refreshToken: string, keep: (rotated: string | null) => Promise<void>) => Promise<Reply>,
): Promise<Reply> {
  const { secrets, name, settingsToken } = tokens;
  let token = (await secrets.read(name)) ?? settingsToken;
  if (token === null) throw notConnected();
  for (let tried = 1; ; tried += 1) {
    const used = token;
    const keep = async (rotated: string | null) => {
      if (rotated !== null && rotated !== used) await secrets.write(name, rotated);
    };
    try {
      return await ask(used, keep);
    } catch (error) {
      if (!(error instanceof ConfigurationError) || tried === MAX_TOKENS) throw error;
      const other = await awaitOther(tokens, used);
      if (other === null) throw error;
      token = other;
    }
  }
}

/**
 * Returns the token that another process has stored since. The other process may need a moment to save the token after
 * it has received the response.
 */
async function awaitOther(
  { secrets, name, clock, signal }: RefreshTokens,
  used: string,
): Promise<string | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await clock.sleep(LOOK_WAIT_MS, signal);
    const stored = await secrets.read(name);
    if (stored !== null && stored !== used) return stored;
  }
  return null;
}

function notConnected(): ConfigurationError {
  const message =
    'The CRM account is not connected: run `donor-sync connect` with the id of the integration.';
  return new ConfigurationError(message, { code: 'crm_unauthorized' });
}

/** Returns a short fingerprint of a secret. The fingerprint distinguishes secrets without showing them. */
export function secretFingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

/**
 * Returns the hash that the user's browser passes on. The hash replaces the PKCE verifier (RFC 7636, section 4.2,
 * `S256`).
 */
export function toCodeChallenge(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier).digest('base64url');
}

/** Creates the error for a consent that is not needed, because `crm.auth` already contains all credentials. */
export function consentNotWanted(authType: string): ConfigurationError {
  const message = `crm.auth of type ${authType} signs in automatically: no consent is needed.`;
  return new ConfigurationError(message, { code: 'consent_not_wanted' });
}

/** Creates a request with a form. Fields without a value are left out. */
export function formRequest(
  url: string,
  form: Readonly<Record<string, string | undefined>>,
): Outgoing {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) body.set(name, value);
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: body.toString(),
  };
}

/** The reason why a sign-in server rejects a request. */
export interface SignInRefusal {
  /** The most specific code. */
  word: string;
  /** The code from the OAuth standard, or null if the response is not from a sign-in server. */
  error: string | null;
  /**
   * The server's description of the error. The description may name a user, so messages contain it only if it is one of
   * the known descriptions.
   */
  description: string;
  /** The server's description, for users who decide. */
  words: ForeignText | null;
}

/**
 * The fields of a refusal. Some servers, such as HubSpot's, have their own codes in `status` and a description in
 * `message`.
 */
const refusalSchema = z.object({
  error: z.string().optional(),
  status: z.string().optional(),
  error_description: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** Reads a response that grants no token. */
export function refusalIn({ status, text }: { status: number; text: string }): SignInRefusal {
  const said = refusalSchema.safeParse(parseJson(text)).data ?? {};
  const word = oauthWord(said.status ?? said.error ?? `HTTP_${status}`);
  const description = said.error_description ?? said.message ?? '';
  return {
    word,
    error: said.error === undefined ? null : oauthWord(said.error),
    description,
    words: foreignText(description, { code: word }),
  };
}

/** The codes of OAuth and of the CRMs that a message may contain. Any other text could be free text. */
const OAUTH_WORDS: ReadonlySet<string> = new Set(
  `access_denied app_not_found inactive_org inactive_user interaction_required invalid_app_access
  invalid_assertion_type invalid_client invalid_client_credentials invalid_client_id invalid_grant
  invalid_grant_type invalid_request invalid_scope invalid_token login_required rate_limit_exceeded
  redirect_uri_mismatch redirect_uri_missing server_error slow_down temporarily_unavailable
  unauthorized_client unknown_error unsupported_grant_type unsupported_response_type
  unsupported_token_type BAD_AUTH_CODE BAD_CLIENT_ID BAD_CLIENT_SECRET BAD_GRANT_TYPE
  BAD_REDIRECT_URI BAD_REFRESH_TOKEN BAD_TOKEN EXPIRED_AUTH_CODE MISMATCH_REDIRECT_URI_AUTH_CODE
  MISSING_AUTH_CODE MISSING_CLIENT_ID MISSING_CLIENT_SECRET MISSING_REFRESH_TOKEN
  OAUTH_APPROVAL_ERROR_GENERIC OAUTH_APP_BLOCKED OAUTH_AUTHORIZATION_BLOCKED`.split(/\s+/),
);

/** Returns an OAuth code from a sign-in server or an address. Returns `unknown_error` for any other value. */
export function oauthWord(word: string): string {
  return OAUTH_WORDS.has(word) || /^HTTP_\d{3}$/.test(word) ? word : 'unknown_error';
}
