/**
 * Defines how a connector declares its CRM's webhooks. The connector defines how the CRM signs its calls and how the
 * calls name contacts. The connector does not compare signatures, limit the age and the size of calls, or refuse
 * repeated calls. This is done in donor-sync itself. A connector therefore cannot omit any of these checks.
 */

/** The webhooks of a CRM that sends them in its own form. The general forms need no such declaration. */
export interface CrmWebhooks {
  /** How the CRM signs its calls. Omitted if the CRM does not sign its calls. */
  signature?: WebhookSignature;
  /**
   * Returns null for an object that is not in this CRM's own form. The general forms are then tried. The function
   * receives the bodies of all callers, so it must reject every other form. Sends no request and never throws.
   */
  readEvent?(object: Readonly<Record<string, unknown>>): CrmEvent | null;
  /**
   * Reads a body that is not JSON. Returns null for text that is not in this CRM's own form. The function receives the
   * bodies of all callers, up to 1 MB. Takes time in proportion to the length of the text, and never throws.
   */
  readText?(text: string): readonly CrmEvent[] | null;
  /** The response that the CRM expects after `readText` has read the body. Defaults to JSON with status 202. */
  acknowledgement?: Acknowledgement;
}

export interface CrmEvent {
  /**
   * The IDs of the contacts that it is about. Empty if the event concerns other records. A value that is not an ID is
   * ignored.
   */
  ids: readonly unknown[];
  /** The ID of the CRM account that has sent the event. Null or undefined if the event contains no ID. */
  account: unknown;
  /**
   * True if it reports that its contacts were deleted for privacy reasons. The contacts are then erased here too. This
   * is accepted only in a call that has this CRM's own signature over a time.
   */
  isPrivacyDeletion?: boolean;
}

export interface Acknowledgement {
  contentType: string;
  body: string;
}

/** How a CRM signs its calls. */
export interface WebhookSignature {
  /** Completes the sentence “Calls are …”, for example with `signed by the HubSpot app`. */
  label: string;
  /** A noun phrase for the secret with which the CRM signs, such as `your app's client secret`. */
  secretNoun: string;
  /** A noun phrase for the same secret in sentences about all CRMs, such as `the HubSpot app's secret`. */
  settingsNoun: string;
  /** The environment variable that donor-sync shows as an example. */
  variable: string;
  /** One or two sentences about the secret, next to its field. */
  help: string;
  /** Returns the secret if the `crm` part of a client's settings contains it. Otherwise returns null. */
  findSecret(crm: unknown): string | null;
  /** The versions of the signature, with the safest first. The first version whose header the call contains is used. */
  versions: readonly [SignatureVersion, ...SignatureVersion[]];
}

export interface SignatureVersion {
  header: string;
  /**
   * The lower-case header with the signed time, and the number of milliseconds in its unit. Null if no time is signed.
   * Such a call can be replayed, so it never proves a deletion.
   */
  timestamp: { header: string; unitMs: number } | null;
  /**
   * Returns the signature that a call must have, or null if the call cannot be signed in this version. `timestamp` is
   * empty if no time is signed. `given` is the call's signature, which may contain a variant. It must not be compared
   * here, because donor-sync compares in constant time.
   */
  sign(secret: string, call: SignedCall, timestamp: string, given: string): string | null;
}

/** The signed parts of a call. */
export interface SignedCall {
  method: string;
  /** The address as the caller knows it, with scheme, host, path and query exactly as they were received. */
  url: string;
  /** The body, exactly as received. */
  body: Uint8Array;
  /** Returns the value of the header with this lower-case name. */
  header(name: string): string | undefined;
}
