/**
 * Defines the part of a connector that describes the CRM's webhooks. The connector describes how the CRM signs its
 * calls and how a call names contacts. The connector does not compare signatures, limit the age and the size of calls,
 * or refuse repeated calls. donor-sync itself makes these checks. A connector therefore cannot leave out any of these
 * checks.
 */

/**
 * The webhooks of a CRM that sends them in its own form. A CRM that uses donor-sync's general forms needs no such
 * description.
 */
export interface CrmWebhooks {
  /** Describes how the CRM signs its calls. The description is omitted if the CRM does not sign its calls. */
  signature?: WebhookSignature;
  /**
   * Reads an event from an object. Returns null if the object does not have this CRM's own form. donor-sync then tries
   * the general forms. The function receives the bodies of all callers, so it must reject every other form. The
   * function sends no request and never throws.
   */
  readEvent?(object: Readonly<Record<string, unknown>>): CrmEvent | null;
  /**
   * Reads a body that is not JSON. Returns null for a text that does not have this CRM's own form. The function
   * receives the bodies of all callers, up to 1 MB. The time that it takes must be proportional to the length of the
   * text. It never throws.
   */
  readText?(text: string): readonly CrmEvent[] | null;
  /** The response that the CRM expects after `readText` has read the body. The default is JSON with status 202. */
  acknowledgement?: Acknowledgement;
}

export interface CrmEvent {
  /**
   * The IDs of the contacts in the event. The list is empty if the event concerns other records. A value that is not an
   * ID is ignored.
   */
  ids: readonly unknown[];
  /**
   * The ID of the CRM account that has sent the event. The ID is null or undefined if the event does not name the
   * account.
   */
  account: unknown;
  /**
   * True if the event reports that its contacts were deleted for privacy reasons. donor-sync then also erases the
   * contacts. donor-sync accepts this event only in a call with the CRM's own signature, which must cover a time.
   */
  isPrivacyDeletion?: boolean;
}

export interface Acknowledgement {
  contentType: string;
  body: string;
}

/** Describes how a CRM signs its calls. */
export interface WebhookSignature {
  /** Completes the sentence “Calls are …”, for example with `signed by the HubSpot app`. */
  label: string;
  /** A noun phrase that describes the secret with which the CRM signs, such as `your app's client secret`. */
  secretNoun: string;
  /** A noun phrase that describes the same secret in sentences about all CRMs, such as `the HubSpot app's secret`. */
  settingsNoun: string;
  /** The name of the environment variable that donor-sync shows as an example. */
  variable: string;
  /** One or two sentences about the secret, which are shown next to its field. */
  help: string;
  /** Returns the secret if the `crm` part of a client's settings contains it. Otherwise returns null. */
  findSecret(crm: unknown): string | null;
  /**
   * The versions of the signature. The safest version comes first. donor-sync uses the first version whose header the
   * call contains.
   */
  versions: readonly [SignatureVersion, ...SignatureVersion[]];
}

export interface SignatureVersion {
  header: string;
  /**
   * The name of the header with the signed time (in lower case), and the number of milliseconds in its unit. Null if
   * the signature covers no time. A call without a signed time can be repeated by an attacker, so it never proves a
   * deletion.
   */
  timestamp: { header: string; unitMs: number } | null;
  /**
   * Returns the signature that a call must have, or null if the call cannot be signed in this version. `timestamp` is
   * empty if the signature covers no time. `given` is the signature in the call, which may name a variant of the
   * algorithm. The function must not compare `given`, because donor-sync compares signatures in constant time.
   */
  sign(secret: string, call: SignedCall, timestamp: string, given: string): string | null;
}

/** The signed parts of a call. */
export interface SignedCall {
  method: string;
  /** The address to which the caller sent the call, with scheme, host, path and query exactly as received. */
  url: string;
  /** The body, exactly as received. */
  body: Uint8Array;
  /** Returns the value of the header with this lower-case name. */
  header(name: string): string | undefined;
}
