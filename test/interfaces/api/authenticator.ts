/**
 * A software authenticator that creates passkeys and signs with them. A test can make the authenticator sign
 * incorrectly.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { z } from 'zod';

export interface Passkey {
  id: string;
  /** The authenticator reports this usage counter. Tests set the counter back. */
  counter: number;
  userHandle: string;
  privateKey: ReturnType<typeof makeKeys>['privateKey'];
}

/** A test can change these parts of an honest response. */
export interface Dishonesty {
  origin?: string;
  rpId?: string;
  type?: string;
  crossOrigin?: boolean;
  isVerified?: boolean;
  userHandle?: string;
  signature?: Buffer;
}

const createSchema = z.looseObject({
  challenge: z.string(),
  rp: z.looseObject({ id: z.string() }),
  user: z.looseObject({ id: z.string() }),
  excludeCredentials: z.array(z.looseObject({ id: z.string() })),
  authenticatorSelection: z.strictObject({
    residentKey: z.literal('required'),
    requireResidentKey: z.literal(true),
    userVerification: z.literal('required'),
  }),
  attestation: z.literal('none'),
});

const getSchema = z.looseObject({
  challenge: z.string(),
  rpId: z.string(),
  userVerification: z.literal('required'),
  allowCredentials: z.tuple([]),
});

/** Creates a passkey for a page's request. Returns the data that the browser sends. */
export function makePasskey(options: string, origin: string, lies: Dishonesty = {}) {
  const { challenge, rp, user } = createSchema.parse(JSON.parse(options));
  const { privateKey, publicKey } = makeKeys();
  const { x, y } = z
    .object({ x: z.string(), y: z.string() })
    .parse(publicKey.export({ format: 'jwk' }));
  const credential = randomBytes(16);
  const cose = map([
    [number(1), number(2)],
    [number(3), number(-7)],
    [number(-1), number(1)],
    [number(-2), bytes(Buffer.from(x, 'base64url'))],
    [number(-3), bytes(Buffer.from(y, 'base64url'))],
  ]);
  const attested = Buffer.concat([
    ...[Buffer.alloc(16), Buffer.from([0, credential.length]), credential, cose],
  ]);
  const authData = Buffer.concat([headOf(lies.rpId ?? rp.id, lies, 0x40, 0), attested]);
  const attestationObject = map([
    [text('fmt'), text('none')],
    [text('attStmt'), map([])],
    [text('authData'), bytes(authData)],
  ]);
  const passkey: Passkey = {
    ...{ id: credential.toString('base64url'), counter: 0, userHandle: user.id, privateKey },
  };
  const response = {
    clientDataJSON: clientData(lies.type ?? 'webauthn.create', challenge, origin, lies).toString(
      'base64url',
    ),
    attestationObject: attestationObject.toString('base64url'),
    transports: ['internal'],
  };
  return { passkey, response: answerOf(passkey, response) };
}

/** Signs a page's challenge and increases the counter. */
export function usePasskey(
  passkey: Passkey,
  options: string,
  origin: string,
  lies: Dishonesty = {},
): string {
  const { challenge, rpId } = getSchema.parse(JSON.parse(options));
  passkey.counter += 1;
  const authenticatorData = headOf(lies.rpId ?? rpId, lies, 0, passkey.counter);
  const client = clientData(lies.type ?? 'webauthn.get', challenge, origin, lies);
  const signed = Buffer.concat([authenticatorData, sha256(client)]);
  const signature = lies.signature ?? sign('sha256', signed, passkey.privateKey);
  return answerOf(passkey, {
    clientDataJSON: client.toString('base64url'),
    authenticatorData: authenticatorData.toString('base64url'),
    signature: signature.toString('base64url'),
    userHandle: lies.userHandle ?? passkey.userHandle,
  });
}

function makeKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function answerOf({ id }: Passkey, response: object): string {
  return JSON.stringify({
    ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform' },
    ...{ clientExtensionResults: {}, response },
  });
}

function clientData(
  type: string,
  challenge: string,
  origin: string,
  { origin: other = origin, crossOrigin = false }: Dishonesty,
): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin: other, crossOrigin }));
}

const PRESENT = 0x01;
const VERIFIED = 0x04;

function headOf(rpId: string, { isVerified = true }: Dishonesty, flags: number, counter: number) {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  const flag = flags | PRESENT | (isVerified ? VERIFIED : 0);
  return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flag]), count]);
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

/** Encodes the parts of CBOR (RFC 8949) that passkeys need. */
function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  if (size < 0x100) return Buffer.from([(major << 5) | 24, size]);
  return Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}

const number = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (entries: readonly [Buffer, Buffer][]) =>
  Buffer.concat([head(5, entries.length), ...entries.flat()]);
