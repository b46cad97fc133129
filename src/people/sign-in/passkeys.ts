/**
 * Requests passkeys from browsers, and verifies the responses. The page contains its challenge in encrypted form, so
 * the database stores no unanswered challenges. The database stores an answered challenge until it expires.
 * docs/decisions/0023-passkeys.md explains the design.
 */
import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';
import { newId } from '../../core/new-id.ts';
import { passkeySealContext } from '../../database/encryption/seal-contexts.ts';
import type { SealContext } from '../../database/encryption/sealed.ts';
import { hashToken } from '../access-token.ts';
import {
  findPasskeyByCredential,
  listPasskeys,
  type NewPasskey,
  type PasskeyRecord,
  recordPasskeyUse,
  spendChallenge,
} from '../statements/passkeys.ts';
import { findPersonBy, type PersonRecord } from '../statements/people.ts';
import { type PeopleDeps, readIdentity } from '../user-accounts.ts';

/** The library is loaded when the first passkey response arrives. */
const loadLibrary = () => import('@simplewebauthn/server');

/** The time within which a browser must answer a challenge. */
const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;

/** The algorithms EdDSA, ECDSA and RSA, in order of preference. */
const ALGORITHMS = [-8, -7, -257];

/** The identity that donor-sync shows to browsers. Browsers bind a passkey to this identity. */
export interface RelyingParty {
  /** The host name of the public address. */
  id: string;
  origin: string;
}

/**
 * Returns donor-sync's identity for passkeys, or null if browsers cannot create passkeys. Browsers cannot create
 * passkeys over plain HTTP or for an address without a host name.
 */
export function getRelyingParty(publicUrl: string): RelyingParty | null {
  const { protocol, hostname: id, origin } = new URL(publicUrl);
  const isName = isIP(id) === 0 && !id.startsWith('[');
  const isSafe = protocol === 'https:' || id === 'localhost' || id.endsWith('.localhost');
  return isName && isSafe ? { id, origin } : null;
}

/** The purpose of a challenge. A challenge is valid for only one purpose. */
export type Ceremony = 'sign_in' | 'prove' | 'add' | 'join';

/**
 * The purpose of a challenge, and the browser that may answer it. The browser is identified by its session, cookie or
 * link.
 */
export interface AskedFor {
  ceremony: Ceremony;
  boundTo: string;
}

export interface PasskeyDeps extends PeopleDeps {
  party: RelyingParty;
}

/** The data that a page passes to the browser. */
export interface PasskeyOffer {
  origin: string;
  /** The input of `PublicKeyCredential.parse…OptionsFromJSON`. */
  options: string;
  /** The encrypted challenge. The form sends it back together with the browser's answer. */
  way: string;
}

/** The data that a form sends back. */
export interface PasskeyAnswer {
  way: string;
  /** The output of the credential's `toJSON`. */
  response: string;
}

/** Requests an existing passkey. The passkey can belong to any user. */
export function askForPasskey(deps: PasskeyDeps, asked: AskedFor): PasskeyOffer {
  const challenge = newChallenge();
  return offer(deps, asked, challenge, {
    challenge,
    rpId: deps.party.id,
    timeout: CHALLENGE_MS,
    userVerification: 'required',
    allowCredentials: [],
  });
}

/** Asks a user for a new passkey on a device without a passkey. */
export async function askForNewPasskey(
  deps: PasskeyDeps,
  asked: AskedFor,
  person: PersonRecord,
): Promise<PasskeyOffer> {
  const { name, email } = readIdentity(deps.sealer, person);
  const challenge = newChallenge();
  const known = await listPasskeys(deps.store.reader, person.id);
  return offer(deps, asked, challenge, {
    challenge,
    rp: { id: deps.party.id, name: 'donor-sync' },
    timeout: CHALLENGE_MS,
    user: { id: toHandle(person.id), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    attestation: 'none',
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    excludeCredentials: known.map(({ credential, transports }) => ({
      type: 'public-key',
      id: credential,
      transports,
    })),
  });
}

/**
 * Returns the passkey that a browser has created. Returns null if the passkey does not match the request to this
 * browser.
 */
export async function readNewPasskey(
  deps: PasskeyDeps,
  asked: AskedFor,
  answer: PasskeyAnswer,
  name: string,
): Promise<NewPasskey | null> {
  const way = openWay(deps, asked, answer.way);
  const response = readJson(newSchema, answer.response);
  if (way === null || response === null || isInFrame(response)) return null;
  const { verifyRegistrationResponse } = await loadLibrary();
  const { registrationInfo: made } = await verifyRegistrationResponse({
    response,
    ...expected(deps, way),
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => NOT_VERIFIED);
  if (made === undefined || !(await spend(deps, way))) return null;
  const { credential } = made;
  const id = newId(deps.clock.now());
  return {
    id,
    credential: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: response.response.transports,
    host: deps.party.id,
    sealed: deps.sealer.seal(name, passkeySealContext(id)),
  };
}

/** The user who answered with a passkey. If donor-sync refused the passkey, this is the passkey's owner, if known. */
export type PasskeyFound =
  | { isIn: true; person: PersonRecord; passkeyId: string }
  | { isIn: false; personId: string | null };

/** Finds the user whose passkey answered this browser's request. The user must be allowed to sign in. */
export async function findByPasskey(
  deps: PasskeyDeps,
  asked: AskedFor,
  answer: PasskeyAnswer,
): Promise<PasskeyFound> {
  const { store } = deps;
  const way = openWay(deps, asked, answer.way);
  const response = readJson(usedSchema, answer.response);
  if (way === null || response === null) return UNKNOWN;
  const passkey = await findPasskeyByCredential(store.reader, response.id);
  if (passkey === null) return UNKNOWN;
  const { personId } = passkey;
  const counter = await verify(deps, way, passkey, response);
  const isRight =
    counter !== null &&
    (await spend(deps, way)) &&
    response.response.userHandle === toHandle(personId);
  const person = isRight ? await findPersonBy(store.reader, 'id', personId) : null;
  if (counter === null || person === null || person.disabledAt !== null) {
    return { isIn: false, personId };
  }
  if (!(await store.act((trx) => recordPasskeyUse(trx, passkey, counter))))
    return { isIn: false, personId };
  return { isIn: true, person, passkeyId: passkey.id };
}

const UNKNOWN: PasskeyFound = { isIn: false, personId: null };

/** Returns the authenticator's use counter. Returns null if a different authenticator answered. */
async function verify(
  deps: PasskeyDeps,
  way: Way,
  { credential, publicKey, transports }: PasskeyRecord,
  response: z.infer<typeof usedSchema>,
): Promise<number | null> {
  if (isInFrame(response)) return null;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    ...expected(deps, way),
    credential: {
      id: credential,
      publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')),
      // donor-sync compares the counter when it records the use. The comparison therefore also detects two simultaneous
      // answers.
      counter: 0,
      transports: [...transports],
    },
  }).catch(() => ({ verified: false, authenticationInfo: null }));
  return verified && authenticationInfo ? authenticationInfo.newCounter : null;
}

/** The result if the library refuses a response by throwing an error. */
const NOT_VERIFIED = { registrationInfo: undefined };

function expected({ party }: PasskeyDeps, { challenge }: Way) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
  };
}

function newChallenge(): string {
  return randomBytes(CHALLENGE_BYTES).toString('base64url');
}

/** Returns the identifier that authenticators store for a user. The identifier does not reveal who the user is. */
function toHandle(personId: string): string {
  return Buffer.from(personId).toString('base64url');
}

const waySchema = z.strictObject({ challenge: z.string(), until: z.number() });

type Way = z.infer<typeof waySchema>;

function waySealContext({ ceremony, boundTo }: AskedFor): SealContext {
  return { table: 'page', column: 'passkey', row: [ceremony, hashToken(boundTo)] };
}

function offer(
  { party, sealer, clock }: PasskeyDeps,
  asked: AskedFor,
  challenge: string,
  options: Record<string, unknown>,
): PasskeyOffer {
  const way: Way = { challenge, until: clock.now() + CHALLENGE_MS };
  return {
    origin: party.origin,
    options: JSON.stringify(options),
    way: sealer.seal(JSON.stringify(way), waySealContext(asked)),
  };
}

/**
 * Decrypts a challenge. Returns null if the challenge is too old, was changed, or is for a different browser or
 * purpose.
 */
function openWay({ sealer, clock }: PasskeyDeps, asked: AskedFor, sealed: string): Way | null {
  try {
    const way = waySchema.parse(JSON.parse(sealer.open(sealed, waySealContext(asked))));
    const restMs = way.until - clock.now();
    // If the remaining time is longer than a challenge's full lifetime, the clock was set back.
    return restMs > 0 && restMs <= CHALLENGE_MS ? way : null;
  } catch {
    return null;
  }
}

/**
 * Records that a browser answered a challenge. The use is recorded only after the response was verified, so strangers
 * cannot create rows.
 */
function spend({ store }: PasskeyDeps, { challenge, until }: Way): Promise<boolean> {
  return store.act((trx) => spendChallenge(trx, hashToken(challenge), until));
}

/** True if the response comes from a frame within a different site. donor-sync's pages are never shown in a frame. */
function isInFrame({ response }: { response: { clientDataJSON: string } }): boolean {
  const text = Buffer.from(response.clientDataJSON, 'base64url').toString();
  return readJson(clientDataSchema, text)?.crossOrigin !== false;
}

const clientDataSchema = z.looseObject({ crossOrigin: z.boolean().default(false) });

const BASE64URL = z.string().regex(/^[\w-]+$/);
const credential = {
  id: BASE64URL,
  rawId: BASE64URL,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}).default({}),
};

const newSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: BASE64URL,
    attestationObject: BASE64URL,
    transports: z
      .array(z.string().regex(/^[a-z-]{1,20}$/))
      .max(10)
      .catch([]),
  }),
});

const usedSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: BASE64URL,
    authenticatorData: BASE64URL,
    signature: BASE64URL,
    userHandle: BASE64URL,
  }),
});

function readJson<Read>(schema: z.ZodType<Read>, text: string): Read | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
