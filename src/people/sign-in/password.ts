/** Decides which passwords are accepted, and stores and checks them (docs/decisions/0021-people.md). */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { ConfigurationError, RetriableError } from '../../core/errors.ts';
import { createOneAtATime } from '../../core/one-at-a-time.ts';
import { createPasswordJudge } from './password-judge.ts';

export const MIN_PASSWORD_LENGTH = 12;
const MAX_PASSWORD_LENGTH = 200;
const MIN_DIFFERENT = 5;
const MIN_OWN_LENGTH = 4;

/** The user's name and address. Attackers first guess passwords that contain the name or the address. */
export interface PersonIdentity {
  name: string;
  email: string;
}

/** The product's name, in the spellings that people use. */
const PRODUCT_NAMES = ['donorsync', 'donor-sync', 'donor sync'];

const judge = createPasswordJudge();

/** Starts to load the lists of common passwords before a user types a password, because loading takes seconds. */
export function expectNewPassword(): void {
  judge.prepare(MIN_PASSWORD_LENGTH);
}

/**
 * Throws a ConfigurationError that describes the problem with a new password. Throws a RetriableError if the estimate
 * failed. `clientNames` are the clients' names. Attackers first guess passwords with a client's name, the user's name
 * or the user's address.
 */
export async function requireGoodPassword(
  password: string,
  { name, email }: PersonIdentity,
  clientNames: readonly string[] = [],
): Promise<void> {
  const text = normal(password);
  const small = text.toLowerCase();
  if ([...text].length < MIN_PASSWORD_LENGTH) {
    throw weak(`Use at least ${MIN_PASSWORD_LENGTH} characters, for example four random words.`);
  }
  if (text.length > MAX_PASSWORD_LENGTH) {
    throw weak(`Use at most ${MAX_PASSWORD_LENGTH} characters.`);
  }
  const address = email.toLowerCase();
  const phrases = [address, ...address.split('@'), name, ...PRODUCT_NAMES, ...clientNames];
  const own = phrases
    .flatMap((phrase) => [phrase, phrase.replaceAll(' ', ''), ...phrase.split(/[\s.@_-]+/)])
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_OWN_LENGTH);
  const rest = [...new Set(own)]
    .sort((a, b) => b.length - a.length)
    .reduce((left, word) => left.replaceAll(word, ''), small);
  const question = { password: text, own, minLength: MIN_PASSWORD_LENGTH };
  if (new Set(rest).size < MIN_DIFFERENT || (await judge.isGuessable(question))) {
    throw weak(
      'Others could guess this password. It is too short for the kinds of characters it uses, or it is a common password, a name, or little more than a word or phrase. Use at least four random, unrelated words, or 20 characters from a password manager.',
    );
  }
}

function weak(message: string): ConfigurationError {
  return new ConfigurationError(message, { code: 'password_weak' });
}

/** scrypt with 32 MB and three rounds, the minimum that OWASP recommends. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const PREFIX = `scrypt$${COST.N}$${COST.r}$${COST.p}`;

/** After this time, the server has certainly sent its response (`NEW_PASSWORD_TIMEOUT_MS` in the app). */
const MOST_WAITING_MS = 75_000;

/**
 * Returns the text to store for a new password. Throws a ConfigurationError if the password is easy to guess, and a
 * RetriableError if the machine is too busy. After the RetriableError, nothing may be changed, because the user was
 * told that the check took too long.
 */
export async function prepareNewPassword(
  password: string,
  identity: PersonIdentity,
  clientNames: readonly string[] = [],
  mostWaitingMs = MOST_WAITING_MS,
): Promise<string> {
  const begunAt = performance.now();
  await requireGoodPassword(password, identity, clientNames);
  const kept = await hashPassword(password);
  if (performance.now() - begunAt <= mostWaitingMs) return kept;
  throw tooBusy(
    'This machine was too busy to process a new password. Nothing was changed. Try again in a minute.',
  );
}

/** Returns the text to store for a password. The text contains the method, the salt and the key. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  return [PREFIX, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/**
 * Checks a password. If no password is stored, the check takes just as long, so the response time does not reveal who
 * has an account.
 */
export async function isPassword(password: string, kept: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (kept ?? NO_ONE).split('$');
  const expected = Buffer.from(key, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(derived, expected) && kept !== null;
}

/** A stored value that no password matches, because it is not a derived key. */
const NO_ONE = [
  PREFIX,
  randomBytes(SALT_BYTES).toString('base64url'),
  randomBytes(KEY_BYTES).toString('base64url'),
].join('$');

/**
 * Passwords are hashed one at a time, because each hash takes 32 MB and a fraction of a second. Many simultaneous
 * hashes would use all memory and all processor cores.
 */
const inTurn = createOneAtATime(20, () =>
  tooBusy('Too many users are signing in at the moment. Try again in a few seconds.'),
);

function tooBusy(message: string): RetriableError {
  return new RetriableError(message, { code: 'sign_in_busy' });
}

function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return inTurn(() => run(normal(password), salt, cost));
}

function run(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  const options = { ...cost, maxmem: 64 * 1_024 * 1_024 };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** Normalises Unicode characters, because keyboards encode the same character in different ways. */
function normal(password: string): string {
  return password.normalize('NFKC');
}
